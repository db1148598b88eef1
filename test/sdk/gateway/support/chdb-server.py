"""ClickHouse's own engine behind its HTTP interface, for the tests that want a real one where no server can be installed.

pip install chdb; python chdb-server.py 8123; then run the tests with CLICKHOUSE_URL=http://127.0.0.1:8123
"""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb import session

engine = session.Session()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        asked = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("content-length") or 0)) if "content-length" in self.headers else self.chunks()
        text = (asked.get("query", "") + "\n" + body.decode()).strip()
        params = {name[6:]: value for name, value in asked.items() if name.startswith("param_")}
        try:
            result = engine.query(text, asked.get("default_format") or "JSONEachRow", params=params)
            self.answer(200, result.bytes() or b"")
        except Exception as error:
            self.answer(500, str(error).encode())

    def chunks(self):
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
