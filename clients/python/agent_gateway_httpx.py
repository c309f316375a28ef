"""An httpx transport through Agent Gateway::

    import httpx
    from agent_gateway import GatewaySession
    from agent_gateway_httpx import GatewayTransport

    session = GatewaySession("https://gateway.example.com", "agt_...", intent="Look after customers")
    client = httpx.Client(transport=GatewayTransport(session), timeout=None)

and with asyncio::

    client = httpx.AsyncClient(transport=AsyncGatewayTransport(session), timeout=None)

It also works with SDKs that accept an httpx client. A ``GatewayError`` is raised unchanged.
"""

from __future__ import annotations

import asyncio
import threading

import httpx

from agent_gateway import GatewayResponse, GatewaySession

__all__ = ["AsyncGatewayTransport", "GatewayTransport"]

# These belong to the connection to the gateway, not to the request. The gateway would drop them, too.
NOT_SENT = ("host", "content-length", "transfer-encoding", "connection", "accept-encoding", "x-intent")


class GatewayTransport(httpx.BaseTransport):
    """Sends requests through a session. The header ``X-Intent`` gives the intent of one request, and is not forwarded."""

    def __init__(self, session: GatewaySession) -> None:
        self._session = session

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return _response(request, _send(self._session, request, request.read()))


class AsyncGatewayTransport(httpx.AsyncBaseTransport):
    """The same for ``httpx.AsyncClient``, on asyncio.

    Each request runs in its own thread, so that requests that wait for a human block nothing else. When its task is
    cancelled, the wait ends; a held request stays in the queue. ``on_held`` is called in that thread.
    """

    def __init__(self, session: GatewaySession) -> None:
        self._session = session

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        content = await request.aread()
        loop = asyncio.get_running_loop()
        done: asyncio.Future[GatewayResponse] = loop.create_future()
        cancel = threading.Event()

        def settle(answer: GatewayResponse | None, error: BaseException | None) -> None:
            if done.done():
                return
            if error is not None:
                done.set_exception(error)
            elif answer is not None:
                done.set_result(answer)

        def work() -> None:
            answer: GatewayResponse | None = None
            error: BaseException | None = None
            try:
                answer = _send(self._session, request, content, cancel)
            except BaseException as raised:
                error = raised
            try:
                loop.call_soon_threadsafe(settle, answer, error)
            except RuntimeError:
                # The loop has ended, so nothing waits for the result.
                pass

        # A daemon thread does not keep a program that ends waiting for a human.
        threading.Thread(target=work, name="agent-gateway", daemon=True).start()
        try:
            return _response(request, await done)
        finally:
            cancel.set()


def _send(
    session: GatewaySession, request: httpx.Request, content: bytes, cancel: threading.Event | None = None
) -> GatewayResponse:
    return session.request(
        request.method,
        str(request.url),
        headers={name: value for name, value in request.headers.items() if name.lower() not in NOT_SENT},
        body=content or None,
        intent=request.headers.get("X-Intent"),
        cancel=cancel,
    )


def _response(request: httpx.Request, answer: GatewayResponse) -> httpx.Response:
    return httpx.Response(answer.status, headers=answer.headers.items(), content=answer.content, request=request)
