"""One watch from beginning to end: opens what it needs, runs the pipeline, serves the dashboard, and closes it all."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbitro.deckroom import DeckRoom
from arbitro.decksight import DeckChoice
from arbitro.deckstore import DeckStore
from arbitro.errors import UnusableInputError
from arbitro.fold import fold
from arbitro.journal import Journal, sole_writer
from arbitro.match import Match
from arbitro.memory import Memory, remembered
from arbitro.pipeline import Eyes, Pipeline
from arbitro.settings import Settings
from arbitro.slaproom import SlapRoom, needs_slap_room
from arbitro.table import LiveTable
from vision.camera import Camera, CameraError
from vision.hands.seats import Seats
from vision.models import Models
from vision.reading import CardReader

if TYPE_CHECKING:
    from web import Server

# How long the main thread waits before it looks again whether somebody pressed Ctrl-C (which Windows only notices so).
_PATIENCE_S = 0.3
# Ports tried after the wanted one before any free port is taken.
_PORTS_TRIED = 20


@dataclass(frozen=True)
class Watch:
    """What is to be watched, and how.

    Attributes:
        source: camera number, film, folder of pictures or stream.
        match: what is played.
        deck: "auto", "italian" or "french".
        journal: file of the journal; one that holds the same session goes on.
        seats: who sits where, for games of slaps; spread around the table if None.
        speed: how much faster than life a film plays; None plays it as fast as it can be looked at.
        keeps_journal: whether the journal is there to go on with, and not thrown away.
    """

    source: str
    match: Match
    deck: str
    journal: Path
    seats: Seats | None = None
    speed: float | None = None
    keeps_journal: bool = True


@dataclass(frozen=True)
class Dashboard:
    """How the dashboard is served: address, wanted port, language, and whether a browser is opened.

    `stays` keeps it open after the source has ended, until somebody presses Ctrl-C.
    """

    host: str
    port: int
    language: str
    opens_browser: bool
    stays: bool

    @classmethod
    def wanted(
        cls, settings: Settings, port: int | None, language: str, *, opens_browser: bool, stays: bool
    ) -> Dashboard:
        """Take from the settings what the command line does not say: the address, the port, the language."""
        chosen = settings.dashboard
        return cls(
            host=chosen.host,
            port=port or chosen.port,
            language=chosen.language if language == "en" else language,
            opens_browser=opens_browser,
            stays=stays,
        )


@dataclass
class Outcome:
    """What a watch came to: the document for `--json`, the record, and whether somebody stopped it early."""

    document: dict[str, Any]
    record: str
    stopped: bool = False
    plays: int = field(init=False)

    def __post_init__(self) -> None:
        """Count the plays seen."""
        self.plays = sum(len(self.document.get(name, ())) for name in ("plays", "flips", "landings"))


def run_watch(
    watch: Watch,
    settings: Settings,
    make_eyes: Callable[[Memory], Eyes],
    tell: Callable[[str], None],
    dashboard: Dashboard | None = None,
    language: str = "en",
    choice: DeckChoice | None = None,
) -> Outcome:
    """Watch to the end of a finite source, or until Ctrl-C.

    Args:
        watch: what to watch.
        settings: tuning.
        make_eyes: makes what looks at the frames, given what is known from before.
        tell: gets lines of progress for people.
        dashboard: how it is served; None runs without.
        language: of the texts in the outcome.
        choice: which deck people want, as the eyes know it too.

    Raises:
        CameraError: if the source cannot be opened, or fails for good.
        JournalError, SessionMismatchError: if the journal cannot take this session.
        UnusableInputError: if the dashboard finds no port.
    """
    with Camera.open(watch.source) as camera:
        if camera.live:
            tell(f"watching {camera.source}")
        with sole_writer(watch.journal), Journal(watch.journal) as journal:
            live = LiveTable(journal, ask_below=settings.watching.ask_below)
            went_on = bool(journal.last_id)
            memory = remembered(journal, fold(journal.events()))
            deck = memory.family or watch.deck
            session = live.begin(watch.match, source=watch.source, deck=deck, live=camera.live)
            if went_on:
                tell(
                    f"going on with the session in {journal.path}, at {(session.last_t_ms or 0) / 1000:.0f} s"
                )
            elif watch.keeps_journal:
                # Said before anything can go wrong: after a power cut nobody is left to say it.
                tell(f"everything seen is kept in {journal.path}")
            pipeline = Pipeline(
                live,
                camera,
                make_eyes(memory),
                settings,
                speed=watch.speed,
                new_eyes=lambda: make_eyes(remembered(journal, fold(journal.events()))),
            )
            is_film = not camera.live
            resume_after_ms = session.last_t_ms if went_on else None

            def work() -> None:
                if not (is_film and session.source == "ended"):
                    pipeline.run(resume_after_ms, is_film=is_film)

            decks = DeckRoom(
                DeckStore(),
                choice or DeckChoice(),
                live.latest_image,
                lambda: CardReader(Models(threads=settings.computing.threads)),
            )
            with (
                _slaps(live, camera, watch, settings, tell, goes_on=went_on) as slaps,
                _served(live, decks, slaps, dashboard, tell) if dashboard else nullcontext(),
            ):
                stopped = _run_beside(work, pipeline, dashboard is not None and dashboard.stays, tell)
            if stopped and watch.keeps_journal:
                tell(f"stopped; everything seen is in {journal.path}")
            state = live.state(language)
            performance = {"frames": 0, "fps": 0.0, "dropped_frames": 0, **session.performance}
            document = {**state["score"], "questions": state["questions"], **performance}
            return Outcome(document, live.record(), stopped)


def _run_beside(
    work: Callable[[], None], pipeline: Pipeline, stays: bool, tell: Callable[[str], None]
) -> bool:
    """Run the work in a thread of its own while this one waits for its end or for Ctrl-C; returns whether that came.

    Ctrl-C lands in this thread alone: the work ends after the frame it is at, with all of it in the journal.
    """
    failures: list[BaseException] = []
    over = threading.Event()

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # raised again in the main thread
            failures.append(error)
        finally:
            over.set()

    worker = threading.Thread(target=guarded, name="pipeline")
    worker.start()
    try:
        while not over.wait(_PATIENCE_S):
            pass
        if stays:
            if failures and isinstance(failures[0], CameraError):
                tell(str(failures[0]))
            elif not failures:
                tell("that was all; the dashboard stays open until Ctrl-C")
            while not failures or isinstance(failures[0], CameraError):
                threading.Event().wait(_PATIENCE_S)
        stopped = False
    except KeyboardInterrupt:
        stopped = not over.is_set()
        pipeline.stop()
    worker.join()
    if failures and not (stays and isinstance(failures[0], CameraError)):
        raise failures[0]
    return stopped


@contextmanager
def _slaps(
    live: LiveTable, camera: Camera, watch: Watch, settings: Settings, tell: Callable[[str], None], *, goes_on: bool
) -> Iterator[SlapRoom | None]:
    """Keep the last half minute and settle slaps, in games that have them; a session that goes on has its slaps."""
    if not needs_slap_room(watch.match.event()):
        yield None
        return
    from arbitro.referee import Referee
    from arbitro.topcard import TopReader
    from vision.classifier import Classifier
    from vision.detector import Detector
    from vision.hands.seats import spread_seats

    models = Models(threads=settings.computing.threads)
    reader = TopReader(Detector(models), Classifier(models))
    seats = watch.seats or spread_seats(len(watch.match.players))

    def make(record: list[dict[str, Any]]) -> Referee:
        return Referee(watch.match.game, seats, reader, before=record)

    folder = watch.journal.with_suffix(".slaps")
    room = SlapRoom(live, make, folder, tell, patient=not camera.live, goes_on=goes_on)
    camera.listen(room.hear)
    try:
        yield room
    finally:
        # A film is settled to its end, however long that takes; nobody waits so long at a table.
        room.close(30.0 if camera.live else 3600.0)


@contextmanager
def _served(
    live: LiveTable,
    decks: DeckRoom,
    slaps: SlapRoom | None,
    dashboard: Dashboard,
    tell: Callable[[str], None],
) -> Iterator[None]:
    from web import create_app

    server = _listening(create_app(live, dashboard.language, deck_room=decks, slap_room=slaps), dashboard)
    thread = threading.Thread(target=server.run, name="dashboard", daemon=True)
    thread.start()
    tell(f"the dashboard is at {server.url}")
    if dashboard.opens_browser:
        # In a thread of its own: some systems' browsers keep the caller waiting.
        threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
    try:
        yield
    finally:
        server.close()
        thread.join(timeout=5)


def _listening(app: Any, dashboard: Dashboard) -> Server:
    from web import serve

    for port in (*range(dashboard.port, min(dashboard.port + _PORTS_TRIED, 65536)), 0):
        try:
            return serve(app, dashboard.host, port)
        except OSError as error:
            reason = error
    raise UnusableInputError(
        f"the dashboard cannot listen on {dashboard.host} ({reason.strerror}): check dashboard.host in the settings"
    )
