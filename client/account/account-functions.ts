import { ApiError, type Profile } from '../../api/speech-api.ts';
import { apiProblem, readProfilePatiently } from '../open-api.ts';
import { refuseOption } from '../refuse-option.ts';
import type { Session } from '../session.ts';
import { changeProfile, clearWebhook, type ProfileChange } from './change-profile.ts';

/** The account of the token. All are free, and throw {@link VoxbatchError}. */
export interface AccountFunctions {
  /** The account and its balance, as the API shows them now. Its `webhookUrl` may hold a secret. */
  profile(): Promise<Profile>;
  /**
   * Asks the API to change fields of the profile, and reads it again to see which were `set`: it may ignore or refuse some.
   * `fields`: at least one; values are sent as JSON.
   */
  setProfile(fields: Readonly<Record<string, unknown>>): Promise<ProfileChange>;
  /**
   * Sets the address of the account's webhooks (http or https), in the same way. Null takes it away, if the API has a way.
   * While batches are worked on with the option `webhook`, the address is voxbatch's own.
   */
  setWebhook(url: string | null): Promise<ProfileChange>;
}

/** Makes them. */
export function accountFunctions(session: Session): AccountFunctions {
  return {
    profile: async () => {
      const { api } = await session.api();
      try {
        return await readProfilePatiently(api);
      } catch (error) {
        throw error instanceof ApiError ? apiProblem(error, api.baseUrl) : error;
      }
    },
    setProfile: async (fields) => {
      if (Object.keys(fields).length === 0) refuseOption('fields', 'at least one field', 'none');
      return changeProfile(await session.api(), fields);
    },
    setWebhook: async (url) => {
      if (url === null) return clearWebhook(await session.api());
      // The path of an address may be a secret.
      if (!isWebAddress(url)) refuseOption('url', 'an http or https URL, or null', 'something else');
      return changeProfile(await session.api(), { webhookUrl: url });
    },
  };
}

/** Whether webhooks can be sent there. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url);
}
