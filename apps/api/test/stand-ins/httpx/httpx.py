"""The part of httpx's interface that our transports use, for machines without httpx. It is never shipped."""


class BaseTransport:
    pass


class AsyncBaseTransport:
    pass


class Headers:
    def __init__(self, headers):
        self._items = [(name.lower(), value) for name, value in dict(headers or {}).items()]

    def items(self):
        return self._items

    def get(self, name, default=None):
        return dict(self._items).get(name.lower(), default)


class Request:
    def __init__(self, method, url, headers=None, content=b""):
        self.method = method
        self.url = url
        self.headers = Headers({"Host": "x", "Content-Length": str(len(content)), **(headers or {})})
        self._content = content

    def read(self):
        return self._content

    async def aread(self):
        return self._content


class Response:
    def __init__(self, status_code, headers=None, content=b"", request=None):
        self.status_code = status_code
        self.headers = Headers(headers)
        self.content = content
        self.request = request
