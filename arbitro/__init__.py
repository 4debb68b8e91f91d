"""The program: command line, settings, journal, and the live table that joins the rooms.

Nothing heavy is imported here, so that `arbitro --help` answers at once.
"""

__version__ = "0.1.0"
