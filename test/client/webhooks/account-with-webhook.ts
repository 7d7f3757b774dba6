import { changeProfile } from '../../../client/account/account-functions.ts';
import { connectApi, readProfilePatiently, type ConnectedApi } from '../../../client/connect-api.ts';
import type { Simulator, SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { openSimulator } from '../../simulator/with-simulator.ts';
import { endAfterTest } from '../../support/end-after-test.ts';

export const OLD = 'https://old.example/hooks/of-somebody';
export const DEAD = 'https://here.example/of-a-dead-process';

/** The API is left after the test. */
export function closing(connected: ConnectedApi): ConnectedApi {
  endAfterTest(() => {
    connected.api.close();
  });
  return connected;
}

/** The account of a new simulator, whose webhook is this. */
export async function openAccount(
  webhookUrl: string,
  options: SimulatorOptions,
): Promise<{ open: ConnectedApi; simulator: Simulator }> {
  const { simulator } = await openSimulator(options);
  const open = closing(await connectApi({ baseUrl: simulator.url, token: simulator.token }));
  await changeProfile(open, { webhookUrl });
  return { open, simulator };
}

/** The webhook that the account shows. */
export const shownBy = async ({ api }: ConnectedApi): Promise<unknown> => (await readProfilePatiently(api)).webhookUrl;
