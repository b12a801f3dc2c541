"""A worker for Holdpoint that needs only Python's standard library: it claims a call, renews the claim and posts the result.

    HOLDPOINT_URL=http://127.0.0.1:4747 HOLDPOINT_KEY=hp_... python3 worker.py
"""

import json
import os
import random
import signal
import threading
import time
import urllib.error
import urllib.request
import uuid
from urllib.parse import quote

URL = os.environ["HOLDPOINT_URL"].rstrip("/")
KEY = os.environ["HOLDPOINT_KEY"]
TTL_MS = 30_000

stopping = threading.Event()


# #region tools
def ship(data, call):
    """The return value is the result. An exception becomes the error that the model reads."""
    if data["to"] == "Nowhere":
        raise ValueError("There is no such address")
    # The call's id never changes: use it as the idempotency key of the side effect.
    return {"parcel": f"for {data['to']}", "language": "python"}


TOOLS = {"ship": ship}
# #endregion


class Problem(Exception):
    """A problem that the gateway reported, with its code."""

    def __init__(self, status, code, detail):
        super().__init__(f"{code}: {detail}")
        self.status, self.code = status, code


# #region post
def post(path, body, timeout=40):
    """One write. Every attempt has the same idempotency key, so the gateway does it once."""
    headers = {
        "Authorization": f"Bearer {KEY}",
        "Content-Type": "application/json",
        "Idempotency-Key": uuid.uuid4().hex,
    }
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers, method="POST")
    for attempt in range(6):
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                text = response.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            problem = read_problem(error)
            # Too many requests, shutting down, or an earlier attempt is still in progress.
            if error.code not in (429, 503) and problem.code != "same-key-in-progress":
                raise problem from None
            pause = float(error.headers.get("Retry-After") or 0)
        except OSError:
            problem, pause = Problem(0, "no-answer", "The gateway does not answer"), 0.0
        time.sleep(max(pause, random.uniform(0.5, 1) * 0.25 * 2**attempt))
    raise problem


# #endregion


def read_problem(error):
    try:
        said = json.load(error)
        return Problem(error.code, said["code"], said["detail"])
    except (ValueError, KeyError, TypeError):
        return Problem(error.code, "not-a-problem", "Is a proxy in between?")


# #region carry-out
def carry_out(call):
    path, claim = f"/api/calls/{quote(call['callId'], safe='')}", call["claim"]
    ended = threading.Event()
    threading.Thread(target=keep, args=(path, claim, ended), daemon=True).start()
    try:
        body = {"claim": claim, "result": TOOLS[call["name"]](call["input"], call)}
    except Exception as error:
        body = {"claim": claim, "error": str(error) or type(error).__name__}
    finally:
        ended.set()
    try:
        print(call["name"], post(path + "/result", body)["verdict"], flush=True)
    except Problem as problem:
        # A refusal: the claim was lost, the call was cancelled, or another answer came first.
        print(call["name"], problem.code, flush=True)
        if problem.code == "invalid":
            post(path + "/result", {"claim": claim, "error": str(problem)})


def keep(path, claim, ended):
    """Renews the claim until the handler is done."""
    while not ended.wait(TTL_MS / 3000):
        try:
            post(path + "/progress", {"claim": claim, "ttlMs": TTL_MS})
        except Problem as problem:
            if problem.code == "claim-lost":
                return


# #endregion


# #region loop
def main():
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopping.set())
    print("ready", flush=True)
    while not stopping.is_set():
        try:
            claimed = post("/api/calls/claim", {"tools": list(TOOLS), "ttlMs": TTL_MS, "wait": 2})
        except Problem as problem:
            if problem.status in (401, 403, 422):
                raise
            continue
        for call in claimed["items"]:
            carry_out(call)
    print("stopped", flush=True)


# #endregion

if __name__ == "__main__":
    main()
