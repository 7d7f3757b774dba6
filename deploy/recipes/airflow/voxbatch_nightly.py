"""Runs a batch each night. A task that ends early is tried again, unless its exit code says that this does not help."""

from datetime import datetime, timedelta

from airflow.exceptions import AirflowFailException, AirflowSkipException
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

# The exit codes after which running the same command again changes nothing.
NO_RETRY = [2, 3, 5, 10, 11, 12, 13, 14, 15]

# An internal error is met again as a rule: it is tried again once.
RETRY_ONCE = [1]


class VoxbatchOperator(BashOperator):
    """A command of voxbatch: fails for good with an exit code of NO_RETRY, and is tried again with any other one but 0."""

    def __init__(self, **settings):
        super().__init__(skip_on_exit_code=NO_RETRY, **settings)

    def execute(self, context):
        if context["ti"].try_number > 1:
            self.skip_on_exit_code = NO_RETRY + RETRY_ONCE
        try:
            return super().execute(context)
        except AirflowSkipException as ended:
            raise AirflowFailException(str(ended)) from None


with DAG(
    dag_id="voxbatch_nightly",
    schedule="0 2 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
):
    VoxbatchOperator(
        task_id="run",
        # The name makes each night a batch of its own; a retry of the task goes on with it.
        bash_command='voxbatch run lines.csv --name "nightly-{{ ds }}" --budget 500 --yes --progress plain',
        cwd="/srv/voxbatch",
        env={
            "VOXBATCH_HOME": "/srv/voxbatch/home",
            "VOXBATCH_API_URL": "https://HOST/api/open/v1",
            "VOXBATCH_API_TOKEN_FILE": "/srv/voxbatch/api-token",
        },
        append_env=True,
        retries=20,
        retry_delay=timedelta(minutes=10),
        # The host with the ledger. Where tasks run on several hosts, the ledger has to be in PostgreSQL.
        queue="voxbatch",
    )
