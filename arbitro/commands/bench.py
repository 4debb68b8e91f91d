"""`arbitro bench`: how fast each stage is on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arbitro.cli import json_option, print_json, tell
from arbitro.errors import DONE


@click.command()
@click.option(
    "--seconds", type=click.FloatRange(0.1, 60), default=1.5, show_default=True, help="Time given to each stage.",
)  # fmt: skip
@json_option
@click.pass_obj
def bench(settings_file: Path | None, seconds: float, as_json: bool) -> int:
    """Measure the speed of each stage on the demo film and a drawn table; times are medians in milliseconds."""
    from arbitro.settings import load_settings
    from arbitro.stages import measure_stages

    measured = measure_stages(load_settings(settings_file).computing.threads, seconds, tell)
    document = {"stages": measured, "memory_mb": _memory_mb()}
    if as_json:
        print_json(document)
    else:
        for stage in measured:
            click.echo(
                f"{stage['stage']:<32}{stage['median_ms']:>10.2f} ms per {stage['per']}  ({stage['runs']} runs)"
            )
        if document["memory_mb"] is not None:
            click.echo(f"{'memory, at most':<32}{document['memory_mb']:>10.0f} MB")
    return DONE


def _memory_mb() -> float | None:
    """Return the most memory that this process has held, None where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1_000_000 if sys.platform == "darwin" else 1000), 1)
