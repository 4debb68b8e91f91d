"""The course of a training run that both networks share: time budget, averaged weights, checkpoints, progress."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPORT_EVERY_S = 30
SAVE_EVERY_S = 120


@dataclass(frozen=True)
class Budget:
    """How long to train: by the clock, so that a busy machine does not upset the learning rate's course."""

    minutes: float
    warm_up: float = 0.03

    def share(self, elapsed_s: float) -> float:
        """Share of the budget that is used up, 0 to 1."""
        return min(1.0, elapsed_s / (self.minutes * 60))

    def rate(self, elapsed_s: float) -> float:
        """Learning rate, as a share of the highest, after so much training time."""
        share = self.share(elapsed_s)
        if share < self.warm_up:
            return 0.05 + 0.95 * share / self.warm_up
        return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (share - self.warm_up) / (1 - self.warm_up)))


def set_up(out: Path, threads: int, device: str | None) -> str:
    """Make the run's folder, give the CPU its threads, and return the device: a GPU where there is one."""
    import cv2
    import torch

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cpu":
        torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    out.mkdir(parents=True, exist_ok=True)
    return device


class Course:
    """Steps of one run: optimiser, averaged weights, a checkpoint every two minutes, a line of progress.

    Args:
        model: the network.
        budget: how long to train.
        checkpoint: file of the run's state; if it is there, the run goes on from it.
        lr: highest learning rate.
        unit: what a sample is called in the progress line.
        weight_decay: of all matrices and kernels.
        device: where the tensors are.
        keep: the most that the averaged weights keep of themselves in a step.
        fresh: numbers kept in the checkpoint beside the weights (class names and the like).
    """

    def __init__(
        self,
        model: Any,
        budget: Budget,
        checkpoint: Path,
        lr: float,
        unit: str,
        weight_decay: float,
        device: str,
        keep: float = 0.999,
        fresh: dict[str, Any] | None = None,
    ) -> None:
        import torch

        self.model, self.budget, self.checkpoint, self.lr, self.unit = model, budget, checkpoint, lr, unit
        self.keep, self.fresh = keep, fresh or {}
        trained = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [p for p in trained if p.ndim > 1], "weight_decay": weight_decay},
                {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
            ],
            lr=lr,
        )
        self.averaged = {k: v.detach().clone() for k, v in model.state_dict().items()}
        self.elapsed_s, self.step = 0.0, 0
        self._mark = self._saved = self._reported = time.monotonic()
        self._sums: dict[str, float] = {}
        self._samples = self._steps = 0
        if checkpoint.exists():
            saved = torch.load(checkpoint, map_location=device, weights_only=True)
            model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.averaged = saved["ema"]
            self.elapsed_s, self.step = saved["elapsed_s"], saved["step"]
            print(f"going on at step {self.step}, {self.elapsed_s / 60:.1f} minutes in", flush=True)

    @property
    def over(self) -> bool:
        """Whether the budget is used up."""
        return self.elapsed_s >= self.budget.minutes * 60

    def take(self, loss: Any, samples: int, figures: dict[str, float]) -> None:
        """Make one optimiser step for a loss, average the weights, report and save when it is time."""
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = self.lr * self.budget.rate(self.elapsed_s)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
        self.optimizer.step()
        self.step += 1
        keep = min(self.keep, (1 + self.step) / (20 + self.step))
        with torch.no_grad():
            for key, value in self.model.state_dict().items():
                if value.dtype.is_floating_point:
                    self.averaged[key].mul_(keep).add_(value, alpha=1 - keep)
                else:
                    self.averaged[key].copy_(value)
        now = time.monotonic()
        self.elapsed_s += now - self._mark
        self._mark = now
        self._samples += samples
        self._steps += 1
        for name, value in figures.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
        if now - self._reported > REPORT_EVERY_S:
            self._report(now)
        if now - self._saved > SAVE_EVERY_S or self.over:
            self._save()
            self._saved = now

    def _report(self, now: float) -> None:
        means = "  ".join(f"{name} {value / self._steps:.3f}" for name, value in self._sums.items())
        speed = self._samples / (now - self._reported)
        print(
            f"{self.elapsed_s / 60:6.1f} of {self.budget.minutes:.0f} min  step {self.step}  {means}  "
            f"{speed:.1f} {self.unit}/s",
            flush=True,
        )
        self._sums, self._samples, self._steps, self._reported = {}, 0, 0, now

    def _save(self) -> None:
        import torch

        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "ema": self.averaged,
            "elapsed_s": self.elapsed_s,
            "step": self.step,
            **self.fresh,
        }
        partial = self.checkpoint.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(self.checkpoint)
