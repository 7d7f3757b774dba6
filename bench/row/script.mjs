/**
 * The script that voxbatch is compared with: what one writes with p-limit, axios and csv-parse. It records nothing,
 * checks nothing, and pays again after a crash. Not TypeScript, because compiling it would count as its own work.
 *
 * Arguments: the manifest, the API's URL, the folder of results, rows at once, ms between polls.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import axios from 'axios';
import { parse } from 'csv-parse/sync';
import pLimit from 'p-limit';

const [manifest, baseURL, out, atOnce, pollMs] = process.argv.slice(2);
const api = axios.create({
  baseURL,
  timeout: 30_000,
  headers: { authorization: 'Bearer bench' },
  httpAgent: new http.Agent({ keepAlive: true, maxSockets: 2_000 }),
});

async function speak({ id, text, voice }) {
  const { data: job } = await api.post('/speech/tts/jobs', { text, voiceId: voice });
  let link;
  for (;;) {
    const { data } = await api.get(`/speech/tts/jobs/${job.id}`);
    link = data.audioUrl;
    if (link !== undefined) break;
    await pause(Number(pollMs));
  }
  const { data } = await api.get(link, { responseType: 'arraybuffer' });
  const file = join(out, `${id}.mp3`);
  await writeFile(`${file}.part`, data);
  await rename(`${file}.part`, file);
}

mkdirSync(out, { recursive: true });
const limit = pLimit(Number(atOnce));
await Promise.all(parse(readFileSync(manifest), { columns: true }).map((row) => limit(speak, row)));
