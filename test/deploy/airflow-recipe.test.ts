import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { pathOf } from '../docs/pages.ts';

/** Runs the recipe with stand-ins of Airflow's classes, and prints how tries end in which the command has these exit codes. */
const TRIES = `
import json, sys, types

class Skipped(Exception): pass
class Failed(Exception): pass
class Again(Exception): pass

class BashOperator:
    def __init__(self, skip_on_exit_code, **settings): self.skip_on_exit_code = skip_on_exit_code
    def execute(self, context):
        code = context["code"]
        if code == 0: return
        raise Skipped() if code in self.skip_on_exit_code else Again()

class DAG:
    def __init__(self, **settings): pass
    def __enter__(self): return self
    def __exit__(self, *error): pass

def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)

for name in ("airflow", "airflow.providers", "airflow.providers.standard", "airflow.providers.standard.operators"): module(name)
module("airflow.exceptions", AirflowFailException=Failed, AirflowSkipException=Skipped)
module("airflow.providers.standard.operators.bash", BashOperator=BashOperator)
module("airflow.sdk", DAG=DAG)
scope = {}
exec(sys.stdin.read(), scope)

def end(code, number):
    task = types.SimpleNamespace(try_number=number)
    try: scope["VoxbatchOperator"]().execute({"ti": task, "code": code})
    except Failed: return "failed"
    except Again: return "again"
    return "done"

print(json.dumps([[end(code, number) for number in (1, 2, 3)] for code in json.loads(sys.argv[1])]))`;

function triesOf(codes: readonly number[]): unknown {
  const input = readFileSync(pathOf('deploy/recipes/airflow/voxbatch_nightly.py'), 'utf8');
  return JSON.parse(execFileSync('python3', ['-c', TRIES, JSON.stringify(codes)], { input, encoding: 'utf8' }));
}

it('the recipe for Airflow tries an internal error once more, what a wait may help as often as it is told, and nothing else', () => {
  expect(triesOf([0, 1, 4, 75, 10])).toEqual([
    ['done', 'done', 'done'],
    ['again', 'failed', 'failed'],
    ['again', 'again', 'again'],
    ['again', 'again', 'again'],
    ['failed', 'failed', 'failed'],
  ]);
});
