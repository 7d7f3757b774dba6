import type { World } from './world.ts';

/** A job that no row has, by its id. */
export async function makeJob({ simulator }: World, text: string): Promise<string> {
  const answer = await fetch(`${simulator.url}/speech/tts/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${simulator.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, voiceId: 'v1' }),
  });
  const body = JSON.stringify(await answer.json());
  const id = /"(?:id|taskId|task_id)":"([^"]+)"/.exec(body)?.[1];
  if (id === undefined) throw new Error(`no job was made: ${body}`);
  return id;
}
