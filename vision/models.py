"""The model files: the manifest, its check, and ONNX Runtime sessions.

Owns reading ``models/manifest.json``, refusing a file that is not the one listed there, and how ONNX Runtime
is set up. It does not know what a model's inputs and outputs mean; detector and classifier do.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnxruntime

MANIFEST_FORMAT = 1
MODEL_NAMES = ("detector", "corners", "classifier")
"""The models that reading cards takes, in the order in which a picture goes through them."""
DEFAULT_THREADS = 2
FOLDER_VARIABLE = "ARBITRO_MODELS"
"""Environment variable that names another folder of models."""


class ModelError(Exception):
    """Raised when a model cannot be used; the message is one line for people."""


def default_folder() -> Path:
    """Return the folder of models: the environment's choice, else ``models`` beside the packages."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else Path(__file__).resolve().parent.parent / "models"


@dataclass(frozen=True)
class ModelEntry:
    """Describe one model of the manifest.

    Attributes:
        name: key in the manifest, one of ``MODEL_NAMES``.
        path: the ONNX file.
        sha256: hexadecimal digest that the file must have.
        classes: names of the classes, by class id.
        input_hw: height and width in pixels that the model was trained for.
        details: everything that the manifest says of the model.
    """

    name: str
    path: Path
    sha256: str
    classes: tuple[str, ...]
    input_hw: tuple[int, int]
    details: Mapping[str, Any] = field(repr=False)


def _entry(folder: Path, name: str, raw: object) -> ModelEntry:
    where = f"{folder / 'manifest.json'}: model '{name}'"
    if not isinstance(raw, dict):
        raise ModelError(f"{where} is not described by an object; restore the models folder")
    missing = [key for key in ("file", "sha256", "classes", "input") if key not in raw]
    if missing:
        raise ModelError(f"{where} lacks {', '.join(missing)}; restore the models folder")
    file, size, classes = raw["file"], raw["input"], raw["classes"]
    if not isinstance(file, str) or Path(file).name != file:
        raise ModelError(
            f"{where} names the file {file!r}, which is not a plain file name; restore the models folder"
        )
    if not (isinstance(size, list) and len(size) == 2 and all(isinstance(n, int) and n > 0 for n in size)):
        raise ModelError(
            f"{where} has the input {size!r}, which is not [height, width]; restore the models folder"
        )
    if not (isinstance(classes, list) and classes and all(isinstance(n, str) for n in classes)):
        raise ModelError(f"{where} does not list its classes; restore the models folder")
    return ModelEntry(name, folder / file, str(raw["sha256"]), tuple(classes), (size[0], size[1]), dict(raw))


class Models:
    """Give access to the models of one folder.

    Args:
        folder: where ``manifest.json`` and the ONNX files lie; ``default_folder()`` if not given.
        threads: how many threads one session computes with.

    Raises:
        ModelError: if there is no manifest or it cannot be understood.
    """

    def __init__(self, folder: Path | str | None = None, *, threads: int = DEFAULT_THREADS) -> None:
        if threads < 1:
            raise ModelError(f"models need at least one thread, not {threads}")
        self.folder = Path(folder) if folder is not None else default_folder()
        self.threads = threads
        manifest = self.folder / "manifest.json"
        try:
            document = json.loads(manifest.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ModelError(
                f"there are no models in {self.folder} (no manifest.json); "
                "restore the models folder of the project"
            ) from None
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ModelError(f"{manifest} cannot be read ({error}); restore the models folder") from None
        if not isinstance(document, dict) or document.get("format") != MANIFEST_FORMAT:
            raise ModelError(
                f"{manifest} is not a manifest of format {MANIFEST_FORMAT}; restore the models folder"
            )
        listed = document.get("models")
        if not isinstance(listed, dict):
            raise ModelError(f"{manifest} lists no models; restore the models folder")
        self.entries: Mapping[str, ModelEntry] = {
            name: _entry(self.folder, name, raw) for name, raw in listed.items()
        }

    def entry(self, name: str) -> ModelEntry:
        """Return the description of a model.

        Raises:
            ModelError: if the manifest does not list it.
        """
        try:
            return self.entries[name]
        except KeyError:
            raise ModelError(
                f"{self.folder / 'manifest.json'} lists no model '{name}'; restore the models folder"
            ) from None

    def verify(self, name: str) -> ModelEntry:
        """Check that a model's file is the one that the manifest lists, and return its description.

        Raises:
            ModelError: if the file is missing or its sha256 differs.
        """
        entry = self.entry(name)
        try:
            with entry.path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise ModelError(
                f"the {name} model {entry.path} cannot be read ({error.strerror}); restore the models folder"
            ) from None
        if digest != entry.sha256:
            raise ModelError(
                f"the {name} model {entry.path} is not the file that the manifest lists "
                f"(its sha256 is {digest[:12]}..., not {entry.sha256[:12]}...); restore the models folder"
            )
        return entry

    def session(self, name: str) -> onnxruntime.InferenceSession:
        """Return a new ONNX Runtime session of a model, after checking its file.

        Raises:
            ModelError: if the file is missing, is another one, or ONNX Runtime refuses it.
        """
        entry = self.verify(name)
        return open_session(entry.path, threads=self.threads)


def open_session(path: Path, *, threads: int = DEFAULT_THREADS) -> onnxruntime.InferenceSession:
    """Open an ONNX file on the CPU.

    Raises:
        ModelError: if ONNX Runtime cannot load the file.
    """
    import onnxruntime  # imported here: it costs 0.3 s that `arbitro --help` must not pay

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle threads that spin would take a core away from decoding and from the other model between two frames.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises many unrelated types for a file it cannot load
        first_line = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"{path} is not a model that ONNX Runtime can load ({first_line})") from None
