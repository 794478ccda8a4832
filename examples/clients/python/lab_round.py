"""Takes a lab through up, log, status, collect and down, with a client generated from /openapi.json."""

import os
import sys

import httpx
from lab_api_client import Client
from lab_api_client.api.jobs import get_job, get_job_log, submit_job
from lab_api_client.api.labs import get_all_status
from lab_api_client.models import Action, Job, JobRequest, JobState

if len(sys.argv) != 3:
    sys.exit("usage: lab_round.py URL DIRECTORY-OF-A-LAB")
url, workdir = sys.argv[1:]
login = (os.environ.get("LAB_API_USER", ""), os.environ.get("LAB_API_PASSWORD", ""))
# Requests wait up to 60 seconds for a job.
client = Client(url, timeout=90, httpx_args={"auth": login if login[0] else None})


def submit(action: Action, **options) -> Job:
    """Submits a job; says why when it is refused."""
    reply = submit_job.sync_detailed(client=client, body=JobRequest(action, workdir=workdir, **options))
    if isinstance(reply.parsed, Job):
        return reply.parsed
    sys.exit(f"{action} was refused: {reply.parsed.detail if reply.parsed else reply.status_code}")


def finish(job: Job) -> None:
    """Waits for the job's end and prints its log; says why when it does not succeed."""
    while job.state in (JobState.QUEUED, JobState.RUNNING, JobState.CANCELING):
        job = get_job.sync(job.id, client=client, wait=60)
    print(get_job_log.sync(job.id, client=client, plain=True).log)
    print(f"{job.action}: {job.error or job.state}")
    if job.state is not JobState.SUCCESS:
        sys.exit(1)


try:
    up = submit(Action.UP)
    try:
        finish(up)
        print("labs:", *get_all_status.sync(client=client).additional_properties)
        finish(submit(Action.COLLECT))
    finally:
        finish(submit(Action.DOWN, cleanup=True))
except (httpx.HTTPError, ValueError) as error:
    sys.exit(f"no lab-api answers at {url}: {error}")
