/** Starts the workflow that the first argument names, and waits for its end. */
import { readFile } from 'node:fs/promises';
import { env } from 'node:process';
import { Client, Connection } from '@temporalio/client';
import type { Row } from '../../rows.ts';

const WORKFLOWS: Readonly<Record<string, string>> = {
  'one-activity': 'oneActivity',
  'one-activity-keyed': 'oneActivityKeyed',
  'child-workflows': 'childWorkflows',
};

const name = WORKFLOWS[process.argv[2] ?? ''];
if (name === undefined) throw new Error(`Expected one of ${Object.keys(WORKFLOWS).join(', ')}.`);
const rows = JSON.parse(await readFile('rows.json', 'utf8')) as Row[];
const connection = await Connection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '' });
const client = new Client({ connection });
await client.workflow.execute(name, { args: [rows], taskQueue: 'speech', workflowId: 'speak-all' });
await connection.close();
