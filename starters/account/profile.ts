import type { ReadFlags } from '../commands/read-flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { withoutPath } from '../../contract/url-scheme.ts';
import { openApi } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/words.ts';
import { oneLine } from '../terminal/table.ts';

/** `voxbatch profile`: the account of the token, and its balance. Spends nothing. */
export async function profile(flags: ReadFlags, output: Output): Promise<ExitName> {
  const { api, profile: account } = await openApi(await readSettings(), flags);
  api.close();
  const { userId, tier, quotaRemaining, credits, webhookUrl } = account;
  if (flags.json === true) {
    const known = { tier: tier ?? null, api_credits: quotaRemaining ?? null, website_credits: credits ?? null };
    const webhook = webhookUrl === undefined ? {} : { webhook: webhookUrl === null ? null : withoutPath(webhookUrl) };
    output.data(JSON.stringify({ user_id: userId, ...known, ...webhook, api: api.baseUrl }));
    return 'complete';
  }
  const amount = (value: number | undefined): string => (value === undefined ? 'unknown' : number(value));
  output.data(`account          ${oneLine(userId)}`);
  output.data(`tier             ${oneLine(tier ?? 'unknown')}`);
  output.data(`API credits      ${amount(quotaRemaining)}  (used by batches)`);
  output.data(`website credits  ${amount(credits)}`);
  if (webhookUrl !== undefined) {
    output.data(`webhook          ${webhookUrl === null ? 'none' : oneLine(withoutPath(webhookUrl))}`);
  }
  return 'complete';
}
