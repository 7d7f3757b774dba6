import { fetchFile } from '../../api/fetch-file.ts';
import { voxbatchVersion } from '../version.ts';
import type { FetchManifest } from '../../inputs/manifest-url.ts';

/** Fetches a manifest for somebody who waits for it. */
export const fetchManifest: FetchManifest = (url, receive) =>
  fetchFile(url, receive, { userAgent: `voxbatch/${voxbatchVersion()}`, pausesMs: [1_000] });
