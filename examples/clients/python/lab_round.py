"""Takes a lab through up, log, status, collect and down, with a client that is generated from /openapi.json."""

import os
import sys

from lab_api_client import Client
from lab_api_client.api.jobs import get_job, get_job_log, submit_job
from lab_api_client.api.labs import get_all_status
from lab_api_client.models import Action, Job, JobRequest, JobState

url, workdir = sys.argv[1:3]
login = (os.environ.get("LAB_API_USER", ""), os.environ.get("LAB_API_PASSWORD", ""))
# A job is waited for 60 seconds at a time.
client = Client(url, timeout=90, httpx_args={"auth": login if login[0] else None})


def run(action: Action, **options) -> None:
    """Runs a job to its end and prints its log; says why when it does not succeed."""
    job = submit_job.sync(client=client, body=JobRequest(action, workdir=workdir, **options))
    if not isinstance(job, Job):
        sys.exit(f"{action} was refused: {job.detail}")
    while job.state in (JobState.QUEUED, JobState.RUNNING, JobState.CANCELING):
        job = get_job.sync(job.id, client=client, wait=60)
    print(get_job_log.sync(job.id, client=client, plain=True).log)
    if job.state is not JobState.SUCCESS:
        sys.exit(job.error)
    print(f"{action}: {job.state}")


try:
    run(Action.UP)
    print("labs:", *get_all_status.sync(client=client).additional_properties)
    run(Action.COLLECT)
finally:
    run(Action.DOWN, cleanup=True)
