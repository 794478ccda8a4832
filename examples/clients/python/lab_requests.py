"""Starts a lab, waits for it, collects its configurations and stops it: with requests, and nothing else."""

import os
import sys

import requests

if len(sys.argv) != 3:
    sys.exit("usage: lab_requests.py URL DIRECTORY-OF-A-LAB")
url, workdir = sys.argv[1:]
api = requests.Session()
if "LAB_API_USER" in os.environ:
    api.auth = (os.environ["LAB_API_USER"], os.environ["LAB_API_PASSWORD"])


def start(action: str, **fields: object) -> dict:
    """Submits a job; says why when it is refused."""
    reply = api.post(f"{url}/jobs", json={"action": action, "workdir": workdir, **fields}, timeout=60)
    return reply.json() if reply.ok else sys.exit(f"{action} was refused: {reply.json()['detail']}")


def finish(job: dict) -> None:
    """Waits for the end of a job and prints its log; says why when it does not succeed."""
    while job["state"] in ("queued", "running", "canceling"):
        job = api.get(f"{url}/jobs/{job['id']}?wait=60", timeout=90).json()
    print(api.get(f"{url}/jobs/{job['id']}/log?plain=true", timeout=60).json()["log"])
    print(f"{job['action']}: {job['error'] or job['state']}")
    if job["state"] != "success":
        sys.exit(1)


up = start("up")
try:
    finish(up)
    finish(start("collect"))
finally:
    finish(start("down", cleanup=True))
