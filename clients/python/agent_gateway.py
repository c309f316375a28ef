"""HTTP requests through Agent Gateway: it keeps the credentials, and risky requests wait for a human.

One file that needs only the standard library, for Python 3.9 and newer. Copy it or install it::

    from agent_gateway import GatewaySession

    session = GatewaySession("https://gateway.example.com", "agt_...", intent="Look after customers")
    answer = session.request("DELETE", "https://api.example.com/v1/customers/42")
    print(answer.status, answer.text)

``request`` returns the upstream's response, whatever its status. If a human must approve the request, it waits for that. It
raises a ``GatewayError`` when the gateway or a human refuses.
"""

from __future__ import annotations

import base64
import http.client
import json
import random
import socket
import ssl
import threading
import time
import uuid
import warnings
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Dict, Iterable, List, Mapping, NoReturn, Optional, Tuple, Union
from urllib.parse import quote, urlencode, urlsplit

__all__ = [
    "ApprovalDenied",
    "ApprovalExpired",
    "ApprovalPending",
    "Cancelled",
    "GatewayError",
    "GatewayResponse",
    "GatewaySession",
    "HeldAction",
    "Revision",
]

# Repeating these methods could do harm, so the gateway requires an idempotency key.
KEYED = ("POST", "PATCH")
BACKOFF_SECONDS = 0.25
BACKOFF_MAX_SECONDS = 8.0
# A limit per minute starts again within this time.
RETRY_AFTER_MAX_SECONDS = 60.0
# A request that waits for a human can also wait for a gateway that restarts.
OUTAGE_MAX_SECONDS = 300.0
# An upstream has 30 seconds, and the risk assessment before it needs some more.
ANSWER_SECONDS = 90.0
KEY_IN_USE_MAX_SECONDS = 90.0
UNDER_WAY_PAUSE_SECONDS = 1.0

Body = Union[str, bytes, bytearray, None]
Params = Union[Mapping[str, Any], Iterable[Tuple[str, Any]], None]


class GatewayError(Exception):
    """The gateway refused, or could not be reached. ``code`` is its ``X-Error-Code``; ``status`` 0: there was no response."""

    def __init__(
        self,
        code: str,
        status: int,
        message: str,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.request_id = request_id
        self.retry_after = retry_after


class ApprovalDenied(GatewayError):
    """A human denied the request. Stop, and tell your user; do not try another way. ``note`` is the approver's message."""

    def __init__(self, action_id: str, note: Optional[str]) -> None:
        super().__init__("approval_denied", 403, f"Denied: {note}" if note else "Denied by a human")
        self.action_id = action_id
        self.note = note


class ApprovalExpired(GatewayError):
    """Nobody decided or used the approval in time. Sending the request again asks for a new approval."""

    def __init__(self, action_id: str) -> None:
        super().__init__("action_expired", 410, "The request expired before it was approved and executed")
        self.action_id = action_id


class ApprovalPending(GatewayError):
    """The request was not decided within ``timeout``. It stays in the queue: ``resume`` continues the wait."""

    def __init__(self, action_id: str) -> None:
        super().__init__(
            "action_pending", 428, "Nobody has decided yet; the request is still in the queue, and nothing was sent"
        )
        self.action_id = action_id


class Cancelled(GatewayError):
    """Your ``cancel`` event was set. A held request stays in the queue."""

    def __init__(self) -> None:
        super().__init__("cancelled", 0, "Cancelled by the caller")


@dataclass
class Revision:
    """The request that replaces a held one, because a person changed it. It is executed in place of the request that you sent."""

    # The action that is executed.
    action_id: str
    # The action that was changed.
    revises: str
    # What is sent: ``method``, ``targetUrl``, ``headers`` and ``body``, which is None also when it is not text. None: another call
    # has executed it already.
    request: Optional[Dict[str, Any]] = None


@dataclass
class GatewayResponse:
    """The upstream's response."""

    status: int
    headers: http.client.HTTPMessage
    content: bytes
    url: str
    # Set if a person changed the request: the response answers the changed one.
    revision: Optional[Revision] = None

    @property
    def text(self) -> str:
        return self.content.decode(self.headers.get_content_charset() or "utf-8", "replace")

    def json(self) -> Any:
        return json.loads(self.content)


@dataclass
class HeldAction:
    """A request that waits for a human. Nothing was sent yet."""

    action_id: str
    summary: str
    method: str
    url: str
    intent: str
    dashboard_url: str
    risk_score: float
    risk_explanation: str
    expires_at: str
    headers: Dict[str, str] = field(default_factory=dict)
    body: Optional[str] = None
    # The bytes of a body that is not UTF-8 text, in base64. ``body`` is None then.
    body_base64: Optional[str] = None


class GatewaySession:
    """A gateway and an agent's key. Several threads can use it: it keeps no state between calls."""

    def __init__(
        self,
        gateway_url: str,
        agent_key: str,
        *,
        intent: Optional[str] = None,
        on_held: Optional[Callable[[HeldAction], None]] = None,
        on_revised: Optional[Callable[[Revision], None]] = None,
        timeout: Optional[float] = None,
        long_poll_seconds: int = 60,
        retries: int = 5,
        dashboard_url: Optional[str] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """
        :param intent: what you want and why, in plain words; a request can override it
        :param on_held: called once when a request is held, before the wait
        :param on_revised: called when a person changed the request before approving it, before the changed request is executed. Tell
            your user what was changed. If it raises, the call ends, and nothing is sent. None: ``warnings.warn``
        :param timeout: seconds to wait for a human, then ``ApprovalPending``. None: wait until the request expires
        :param long_poll_seconds: how long one call can wait, 1 to 60
        :param retries: how often a call is repeated when the gateway is unreachable, or when a limit starts again within a minute
        """
        parts = urlsplit(gateway_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("gateway_url must be an http or https URL")
        self._host, self._port = parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._ssl = (ssl_context or ssl.create_default_context()) if parts.scheme == "https" else None
        self._key = agent_key
        self._intent = intent
        self._on_held = on_held
        self._on_revised = on_revised
        self._timeout = timeout
        self._long_poll = max(1, min(60, int(long_poll_seconds)))
        self._retries = retries
        self._dashboard = (dashboard_url or gateway_url.rstrip("/") + "/dashboard").rstrip("/")

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Optional[Mapping[str, str]] = None,
        params: Params = None,
        body: Body = None,
        json: Any = None,
        intent: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        cancel: Optional[threading.Event] = None,
    ) -> GatewayResponse:
        """Sends one request through the gateway. If a human must approve it, waits for that.

        :param params: added to the query of the URL; a list adds one parameter for each item, and ``None`` is omitted
        :param body: text or bytes, sent unchanged
        :param json: any value, sent as JSON instead of ``body``
        :param idempotency_key: the upstream gets one request for each key; generated for POST and PATCH, and reused in retries
        :param cancel: raises ``Cancelled`` soon after it is set
        """
        method = method.upper()
        url = _with_params(url, params)
        sent = {str(name): str(value) for name, value in (headers or {}).items()}
        text, in_base64 = _body_of(body)
        if json is not None:
            text, in_base64 = _dumps(json), None
            if not any(name.lower() == "content-type" for name in sent):
                sent["Content-Type"] = "application/json"
        wanted = intent or self._intent
        if not wanted:
            raise ValueError("say in `intent` what you want and why")
        given = next((value for name, value in sent.items() if name.lower() == "idempotency-key"), None)
        key = idempotency_key or given or (str(uuid.uuid4()) if method in KEYED else None)
        limit = self._timeout if timeout is None else timeout
        call_headers = {"Content-Type": "application/json"}
        if key is not None:
            call_headers["Idempotency-Key"] = key
        # With a key, one call can send, wait and get the response. If it is cut off, its repeat finds the same action.
        wait = int(min(self._long_poll, self._long_poll if limit is None else limit))
        if key is None or self._on_held is not None:
            wait = 0
        if wait >= 1:
            call_headers["Prefer"] = f"wait={wait}"
        request: Dict[str, Any] = {"method": method, "targetUrl": url, "headers": sent, "intent": wanted}
        if text is not None:
            request["body"] = text
        if in_base64 is not None:
            request["bodyBase64"] = in_base64
        began = time.monotonic()
        answer = self._forward(_dumps(request).encode(), call_headers, key is not None, wait, cancel)
        if answer.headers.get("X-Proxy-Status") is None:
            if answer.status != 428:
                raise GatewayError("not_a_gateway", answer.status, f"{self._host} does not answer like an Agent Gateway")
            held = self._held(answer.json(), method, url, wanted, sent, text, in_base64)
            if self._on_held is not None:
                self._on_held(held)
            # The wait of the first call counts.
            left = None if limit is None else max(0.0, limit - (time.monotonic() - began))
            answer = self.resume(held.action_id, timeout=left, cancel=cancel)
        sent_instead = answer.revision.request if answer.revision is not None else None
        answer.url = url if sent_instead is None else sent_instead["targetUrl"]
        return answer

    def resume(
        self, action_id: str, *, timeout: Optional[float] = None, cancel: Optional[threading.Event] = None
    ) -> GatewayResponse:
        """Continues to wait for a held request, and executes it when it is approved.

        If a person changed the request, it continues with the changed request.
        """
        end = None if timeout is None else time.monotonic() + timeout
        revision: Optional[Revision] = None
        told: Optional[str] = None
        while True:
            asked = time.monotonic()
            wait = self._long_poll
            if end is not None:
                wait = min(wait, int(max(0.0, end - asked) + 0.999))
            status = self._wait("/status/" + quote(action_id, safe=""), wait, cancel)
            state = status["status"]
            if state == "PENDING":
                if end is not None and time.monotonic() >= end:
                    raise ApprovalPending(action_id)
                # A gateway that shuts down answers immediately. Do not rush to the next one.
                if time.monotonic() - asked < 1:
                    _sleep(1, cancel)
                continue
            if state == "DENIED" and "revised_as" in status:
                revision = Revision(status["revised_as"], action_id)
                action_id = status["revised_as"]
                continue
            if state == "DENIED":
                raise ApprovalDenied(action_id, status.get("resolution_note"))
            if state == "EXPIRED":
                raise ApprovalExpired(action_id)
            if state == "APPROVED" and "revises" in status:
                revision = Revision(action_id, status["revises"], status.get("request"))
            if revision is not None and told != action_id:
                self._tell(revision)
                told = action_id
            answer = _stored(status["result"]) if state == "EXECUTED" else self._execute(action_id, cancel)
            if answer is not None:
                answer.revision = revision
                return answer
            _sleep(UNDER_WAY_PAUSE_SECONDS, cancel)

    def _tell(self, revision: Revision) -> None:
        """Tells the caller that a changed request is executed. The default is a warning, so that somebody learns of it."""
        if self._on_revised is not None:
            self._on_revised(revision)
            return
        request = revision.request
        what = "another request was" if request is None else f"{request['method']} {request['targetUrl']} is"
        warnings.warn(
            f"a person changed the request of action {revision.revises}, and {what} executed in its place", stacklevel=4
        )

    def _held(
        self,
        body: Dict[str, Any],
        method: str,
        url: str,
        intent: str,
        headers: Dict[str, str],
        text: Optional[str],
        in_base64: Optional[str],
    ) -> HeldAction:
        action_id = body["action_id"]
        return HeldAction(
            action_id=action_id,
            summary=f"{method} {url}",
            method=method,
            url=url,
            intent=intent,
            dashboard_url=f"{self._dashboard}/approvals/{action_id}",
            risk_score=body["risk_score"],
            risk_explanation=body["risk_explanation"],
            expires_at=body["expires_at"],
            headers=headers,
            body=text,
            body_base64=in_base64,
        )

    def _forward(
        self, body: bytes, headers: Dict[str, str], keyed: bool, wait: int, cancel: Optional[threading.Event]
    ) -> GatewayResponse:
        """While another call with the same key is in progress, waits for it: both get the same response."""
        end = time.monotonic() + KEY_IN_USE_MAX_SECONDS
        while True:
            try:
                return self._send("POST", "/proxy", headers, body, wait + ANSWER_SECONDS, cancel)
            except GatewayError as error:
                if not keyed or error.status != 409 or time.monotonic() > end:
                    raise
                _sleep(1.0 if error.retry_after is None else min(error.retry_after, KEY_IN_USE_MAX_SECONDS), cancel)

    def _execute(self, action_id: str, cancel: Optional[threading.Event]) -> Optional[GatewayResponse]:
        """The gateway forwards only one execution, so repeating it is safe. None: the status has the result."""
        path = "/proxy/execute/" + quote(action_id, safe="")
        try:
            return self._send("POST", path, {}, b"", ANSWER_SECONDS, cancel)
        except GatewayError as error:
            if error.status == 409:
                return None
            if error.code == "action_expired":
                raise ApprovalExpired(action_id) from None
            raise

    def _send(
        self,
        method: str,
        path: str,
        headers: Dict[str, str],
        body: Optional[bytes],
        limit: float,
        cancel: Optional[threading.Event],
    ) -> GatewayResponse:
        attempt = 1
        while True:
            try:
                return self._call(method, path, headers, body, limit, cancel)
            except _Away as away:
                if attempt > self._retries:
                    raise away.error from away.__cause__
                _pause(away.error, attempt, cancel)
                attempt += 1

    def _wait(self, path: str, wait: int, cancel: Optional[threading.Event]) -> Dict[str, Any]:
        headers = {"Prefer": f"wait={wait}"} if wait >= 1 else {}
        began, attempt = time.monotonic(), 1
        while True:
            try:
                return self._call("GET", path, headers, None, wait + 30, cancel).json()
            except _Away as away:
                if time.monotonic() - began > OUTAGE_MAX_SECONDS:
                    raise away.error from away.__cause__
                _pause(away.error, attempt, cancel)
                attempt += 1

    def _call(
        self,
        method: str,
        path: str,
        headers: Dict[str, str],
        body: Optional[bytes],
        limit: float,
        cancel: Optional[threading.Event],
    ) -> GatewayResponse:
        """One call. Does not follow redirects, which would carry the agent key to the host that an upstream names."""
        if cancel is not None and cancel.is_set():
            raise Cancelled()
        connection: http.client.HTTPConnection
        if self._ssl is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=limit)
        else:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=limit, context=self._ssl)
        done = threading.Event()
        try:
            connection.connect()
            if cancel is not None:
                threading.Thread(target=_cut, args=(connection.sock, cancel, done), daemon=True).start()
            connection.request(method, self._base + path, body, {"Agent-Key": self._key, **headers})
            response = connection.getresponse()
            answer = GatewayResponse(response.status, response.headers, response.read(), path)
        except (OSError, http.client.HTTPException) as error:
            if cancel is not None and cancel.is_set():
                raise Cancelled() from None
            message = f"The gateway could not be reached: {error or type(error).__name__}"
            raise _Away(GatewayError("gateway_unreachable", 0, message)) from error
        finally:
            done.set()
            connection.close()
        if "X-Proxy-Status" in answer.headers or answer.status == 428 or 200 <= answer.status < 300:
            return answer
        _refused(answer)


class _Away(Exception):
    """The same call can be repeated after this."""

    def __init__(self, error: GatewayError) -> None:
        super().__init__(error.message)
        self.error = error


def _refused(answer: GatewayResponse) -> NoReturn:
    said = _error_text(answer.content)
    status, headers = answer.status, answer.headers
    code = headers.get("X-Error-Code") or f"http_{status}"
    if said is None and status in (502, 503, 504):
        code, said = "gateway_unreachable", f"A server in front of the gateway answered {status}"
    error = GatewayError(
        code, status, said or f"HTTP {status}", headers.get("X-Request-Id"), _retry_after(headers.get("Retry-After"))
    )
    after = error.retry_after
    starts_again_soon = code == "limit_reached" and after is not None and after <= RETRY_AFTER_MAX_SECONDS
    if status == 503 or code == "gateway_unreachable" or starts_again_soon:
        raise _Away(error)
    raise error


def _error_text(content: bytes) -> Optional[str]:
    """The text of the gateway's ``{error, statusCode}``; None: the body is something else."""
    try:
        body = json.loads(content)
    except ValueError:
        return None
    if isinstance(body, dict) and isinstance(body.get("error"), str) and isinstance(body.get("statusCode"), int):
        return str(body["error"])
    return None


def _stored(result: Dict[str, Any]) -> GatewayResponse:
    """The stored response of the execution, unchanged."""
    headers = http.client.HTTPMessage()
    for name, values in result["headers"].items():
        for value in values if isinstance(values, list) else [values]:
            headers.add_header(name, value)
    is_base64 = result.get("bodyEncoding") == "base64"
    content = base64.b64decode(result["body"]) if is_base64 else result["body"].encode()
    status = result["status"]
    if result.get("fromUpstream") is False:
        code = headers.get("X-Error-Code") or f"http_{status}"
        raise GatewayError(code, status, _error_text(content) or f"HTTP {status}")
    headers["X-Proxy-Status"] = "executed-approved"
    return GatewayResponse(status, headers, content, "")


def _body_of(body: Body) -> Tuple[Optional[str], Optional[str]]:
    """Text stays text, because a human must be able to read what they approve. Other bytes become base64."""
    if body is None:
        return None, None
    if not isinstance(body, (str, bytes, bytearray)):
        raise TypeError(f"body must be str or bytes, not {type(body).__name__}; to send a value as JSON, pass json=")
    if isinstance(body, str):
        try:
            body.encode("utf-8")
        except UnicodeError:
            message = "This body is not valid Unicode text. Give bytes instead. Nothing was sent."
            raise GatewayError("body_not_text", 0, message) from None
        return body, None
    try:
        return bytes(body).decode("utf-8"), None
    except UnicodeError:
        return None, base64.b64encode(body).decode()


def _with_params(url: str, params: Params) -> str:
    pairs: List[Tuple[str, str]] = []
    for name, value in params.items() if isinstance(params, Mapping) else params or ():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is not None:
                pairs.append((str(name), str(each).lower() if isinstance(each, bool) else str(each)))
    if not pairs:
        return url
    base, hash_sign, fragment = url.partition("#")
    joint = "" if base.endswith(("?", "&")) else "&" if "?" in base else "?"
    return base + joint + urlencode(pairs) + hash_sign + fragment


def _dumps(value: Any) -> str:
    return json.dumps(value)


def _retry_after(text: Optional[str]) -> Optional[float]:
    """Seconds or a date (RFC 9110, section 10.2.3)."""
    if not text:
        return None
    try:
        seconds = float(text) if text.isdigit() else parsedate_to_datetime(text).timestamp() - time.time()
    except (TypeError, ValueError):
        return None
    return max(seconds, 0.0)


def _pause(error: GatewayError, attempt: int, cancel: Optional[threading.Event]) -> None:
    """Waits as long as the gateway asks, at most a minute, or else longer each time, with jitter."""
    backoff = min(BACKOFF_SECONDS * 2 ** min(attempt - 1, 10), BACKOFF_MAX_SECONDS)
    asked = None if error.retry_after is None else min(error.retry_after, RETRY_AFTER_MAX_SECONDS)
    _sleep(asked if asked is not None else backoff * random.uniform(0.75, 1.25), cancel)


def _sleep(seconds: float, cancel: Optional[threading.Event]) -> None:
    if cancel is None:
        time.sleep(seconds)
    elif cancel.wait(seconds):
        raise Cancelled()


def _cut(sock: Optional[socket.socket], cancel: threading.Event, done: threading.Event) -> None:
    """Shuts the connection down on cancellation, because only that ends a blocking read."""
    while not done.is_set():
        if cancel.wait(0.1) and not done.is_set() and sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            return
