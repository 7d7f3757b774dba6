import type { World } from './world.ts';

/** A speech that another program, or a ledger that was lost, made with the same account. Returns its job. */
export async function createElsewhere(world: World, text = 'Good morning.'): Promise<string> {
  const answer = await fetch(`${world.simulator.url}/speech/tts/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${world.simulator.token}` },
    body: JSON.stringify({ text, voiceId: 'narrator' }),
  });
  const jobId = world.charges().at(-1)?.jobId;
  if (!answer.ok || jobId == null) throw new Error(await answer.text());
  return jobId;
}
