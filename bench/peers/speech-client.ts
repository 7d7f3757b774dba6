/** A simple client of the API, as one writes it from its documentation in ten minutes. All peers use it. */
import { env } from 'node:process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const headers = { authorization: `Bearer ${env['VOXBATCH_API_TOKEN'] ?? ''}`, 'content-type': 'application/json' };
const jobs = `${env['VOXBATCH_API_URL'] ?? ''}/speech/tts/jobs`;
/** A common choice. Here the API answers within 150 ms, except for answers that are late by plan. */
const TIMEOUT_MS = 10_000;

/** Requests speech for a line; returns the job's id. */
export async function createJob(text: string, idempotencyKey?: string): Promise<string> {
  const answer = await fetch(jobs, {
    method: 'POST',
    headers: { ...headers, ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }) },
    body: JSON.stringify({ text, voiceId: 'narrator' }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`The job was not created: ${answer.status} ${await answer.text()}`);
  const { id } = (await answer.json()) as { id: string };
  return id;
}

/** Reads a job; returns the link to its result once it is done. */
export async function readJob(id: string): Promise<string | undefined> {
  const answer = await fetch(`${jobs}/${id}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`The job can't be read: ${answer.status}`);
  const job = (await answer.json()) as { status: string; audioUrl?: string };
  if (job.status === 'failed') throw new Error(`Job ${id} failed.`);
  return job.status === 'completed' ? job.audioUrl : undefined;
}

/** Returns the path of a row's result. */
export function fileOf(row: string): string {
  return join('results', `${row}.mp3`);
}

/** Downloads a result to the row's file. */
export async function download(link: string, row: string): Promise<void> {
  const answer = await fetch(link, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`The result can't be fetched: ${answer.status}`);
  await writeFile(fileOf(row), Buffer.from(await answer.arrayBuffer()));
}
