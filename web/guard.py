"""Keep the dashboard to the people at the table: checks on every request, headers on every answer.

The dashboard has no password: it listens on this machine (or, when asked to, on the home network) and shows a room.
So a page of the internet that is open in the same browser must neither read it (DNS rebinding: a foreign name that
resolves to this machine) nor send it commands (cross-site requests).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from flask import Flask, Response, abort, current_app, request
from flask_babel import gettext

MAX_BODY_BYTES = 16 * 1024
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# `<img>` and `fetch` of our own, pictures from memory; no inline script or style, no frame around the page.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def host_is_ours(host: str, names: Collection[str] = ()) -> bool:
    """Tell whether a Host header names this machine: localhost, an IP address as such, or one of `names`.

    A rebinding attack needs a name of its own, so an address written out in digits is never one.
    """
    try:
        hostname = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    if not hostname:
        return False
    if hostname == "localhost" or hostname.endswith(".localhost") or hostname in {n.lower() for n in names}:
        return True
    try:
        ipaddress.ip_address(hostname)
    except ValueError:
        return False
    return True


def origin_is_ours(origin: str | None, scheme: str, host: str) -> bool:
    """Tell whether an Origin header (None: not sent, so not a browser's cross-site request) is that of `host`."""
    return origin is None or origin.lower() == f"{scheme}://{host}".lower()


def check_request() -> None:
    """Refuse, before any view runs, a request that comes from elsewhere."""
    if not host_is_ours(request.host, current_app.config["ALLOWED_HOSTS"]):
        abort(
            403,
            gettext("This address is not one of the dashboard's own. Open it by its number or as localhost."),
        )
    if request.method in SAFE_METHODS:
        return
    if not origin_is_ours(request.headers.get("Origin"), request.scheme, request.host):
        abort(403, gettext("This request comes from another page and is refused."))
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        abort(403, gettext("This request comes from another page and is refused."))
    largest = current_app.config["UPLOADS"].get(request.endpoint or "")
    if largest is not None:
        # Another page cannot send this type without asking first, and is refused when it asks.
        if request.mimetype != "application/octet-stream":
            abort(415, gettext("Send files as application/octet-stream."))
        request.max_content_length = largest
        return
    if request.mimetype != "application/json":
        abort(415, gettext("Send commands as application/json."))


def add_headers(response: Response) -> Response:
    """Add the security headers that a view has not set itself."""
    response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    return response


def init_app(app: Flask, uploads: Mapping[str, int]) -> None:
    """Bind the checks and the headers to the application; `uploads` are endpoints that take files, and their limits."""
    app.config["UPLOADS"] = dict(uploads)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.before_request(check_request)
    app.after_request(add_headers)
