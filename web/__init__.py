"""The dashboard: one page, its live updates, and the way of people's corrections to the live table.

This room shows what `arbitro.table.LiveTable` tells and sends back what people say. It sees no card, rules nothing and
counts nothing itself.
"""

from web.application import create_app
from web.server import Server, serve

__all__ = ["Server", "create_app", "serve"]
