"""An httpx transport through Agent Gateway::

    import httpx
    from agent_gateway import GatewaySession
    from agent_gateway_httpx import GatewayTransport

    session = GatewaySession("https://gateway.example.com", "agt_...", intent="Look after customers")
    client = httpx.Client(transport=GatewayTransport(session), timeout=None)

It also serves SDKs that take an httpx client. A ``GatewayError`` comes through as it is.
"""

from __future__ import annotations

import httpx

from agent_gateway import GatewaySession

__all__ = ["GatewayTransport"]

# Of the connection to the gateway, not of the request; the gateway would drop them too.
NOT_SENT = ("host", "content-length", "transfer-encoding", "connection", "accept-encoding", "x-intent")


class GatewayTransport(httpx.BaseTransport):
    """Sends requests through a session. A header ``X-Intent`` says what a single request is for, and is not sent on."""

    def __init__(self, session: GatewaySession) -> None:
        self._session = session

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        content = request.read()
        answer = self._session.request(
            request.method,
            str(request.url),
            headers={name: value for name, value in request.headers.items() if name.lower() not in NOT_SENT},
            body=content or None,
            intent=request.headers.get("X-Intent"),
        )
        return httpx.Response(answer.status, headers=answer.headers.items(), content=answer.content, request=request)
