"""Weights to start a training from: our own kept ones, a run's checkpoint, or a network trained on photographs."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def read_weights(path: Path) -> dict[str, Any]:
    """Read a state dict: .safetensors, a plain one, a run's checkpoint (averaged weights), or an ultralytics one."""
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return dict(load_file(path))
    import torch

    # An ultralytics checkpoint holds a whole pickled network, which weights_only refuses.
    saved = torch.load(path, map_location="cpu", weights_only=False)
    if "elapsed_s" in saved:
        return dict(saved["ema"])
    network = saved.get("ema") or saved.get("model")
    return dict(saved if network is None else network.float().state_dict())


def take_over(model: Any, start: Path) -> bool:
    """Put into a network every tensor of the starting weights that fits by name and shape, and say how many.

    Returns:
        Whether all of them fitted: the weights are of this very network, which already knows cards.
    """
    own = model.state_dict()
    given = read_weights(start)
    fitting = {k: v.to(own[k].dtype) for k, v in given.items() if k in own and own[k].shape == v.shape}
    model.load_state_dict(fitting, strict=False)
    print(f"start: {len(fitting)} of {len(own)} tensors taken over from {start.name}", flush=True)
    return len(fitting) == len(own)
