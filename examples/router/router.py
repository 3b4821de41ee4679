"""Names the engine for each request to nginx, as Ebb ranks the nodes. Add your own fallback."""

import json, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from transformers import AutoTokenizer

EBB = "http://10.0.0.1:9090/api/v1/route"
ENGINES = {"host-1": "10.0.0.1:8000", "host-2": "10.0.0.2:8000", "host-3": "10.0.0.3:8000"}
TOKENIZER = AutoTokenizer.from_pretrained("meta-llama/Llama-3.1-8B-Instruct")

class Router(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        tokens = TOKENIZER.apply_chat_template(json.loads(body)["messages"], return_dict=False)
        ask = urllib.request.Request(EBB, json.dumps({"tokens": tokens}).encode(),
                                     {"Content-Type": "application/json"})
        with urllib.request.urlopen(ask, timeout=1) as answer:
            best = json.load(answer)["routes"][0]["node"]
        self.send_response(200)
        self.send_header("X-Accel-Redirect", f"/engine/{ENGINES[best]}{self.path}")
        self.end_headers()

ThreadingHTTPServer(("127.0.0.1", 8100), Router).serve_forever()
