import type { RowSpec } from '../../contract/row-kinds.ts';
import { tts } from './rows.ts';
import type { World } from './world.ts';

/**
 * The job of a row's first step that another program, or a ledger that was lost, made with the same account. Returns its
 * id.
 */
export async function createElsewhere(world: World, spec: RowSpec = tts()): Promise<string> {
  const [path, body] =
    spec.kind === 'lip-sync'
      ? ['media/lip-sync/jobs', { videoUrl: spec.video, audioUrl: spec.audio }]
      : ['speech/tts/jobs', { text: spec.text, voiceId: spec.voice }];
  const answer = await fetch(`${world.simulator.url}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${world.simulator.token}` },
    body: JSON.stringify(body),
  });
  const jobId = world.charges().at(-1)?.jobId;
  if (!answer.ok || jobId == null) throw new Error(await answer.text());
  return jobId;
}
