import { StoreUnwritable } from '../errors.ts';
import type { OutageProblem } from '../outage.ts';

/** What S3 answered, or why it did not. */
export interface BucketTrouble {
  /** The code of S3's answer; `AWAY` if nothing answers, or it says that it cannot now; `NoCredentials`. */
  readonly code: string;
  /** In S3's own words, or those of the system. */
  readonly message: string;
  /** What was asked: the operation with its object or prefix. */
  readonly asked?: string;
  /** The region that the bucket is in, if S3 said so. */
  readonly region?: string | undefined;
}

const KEYS = 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile of AWS_PROFILE';
const KMS_KEY = 'Enable the KMS key of the bucket, or of the object that is named';
const SESSION = 'Sign in again, or renew AWS_SESSION_TOKEN';

const ADVICE: Readonly<Record<string, string>> = {
  AWAY: 'Check the network, and AWS_ENDPOINT_URL_S3 if it is set',
  NoCredentials:
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role that may use the bucket',
  InvalidAccessKeyId: KEYS,
  SignatureDoesNotMatch: KEYS,
  XAdminUserNotFound: KEYS,
  ExpiredToken: SESSION,
  InvalidToken: SESSION,
  TokenRefreshRequired: SESSION,
  AccessDenied:
    'Allow these credentials s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads, and the use of the KMS key if objects have one',
  InvalidObjectState: 'Restore its marks (.ledger, .store), and let no rule of the bucket archive them',
  'KMS.DisabledException': KMS_KEY,
  'KMS.KMSInvalidStateException': KMS_KEY,
  AllAccessDisabled: 'Ask the owner of the bucket',
  NoSuchBucket: 'Create the bucket, or correct VOXBATCH_STORE',
  NoSuchUpload: 'Let no other program and no lifecycle rule of the bucket abort uploads that are younger than a day',
  InvalidBucketName: 'Correct VOXBATCH_STORE',
  NoRegion: 'Set AWS_REGION to the region of the bucket, or AWS_ENDPOINT_URL_S3 to another S3 server',
  RequestTimeTooSkewed: 'Set the clock of this machine',
  Certificate: 'Add the certificate of its authority with NODE_EXTRA_CA_CERTS, or correct AWS_ENDPOINT_URL_S3',
  QuotaExceeded: 'The bucket is full: free some space, or raise its quota',
  XMinioStorageFull: 'The server is full: free some space',
  InsufficientStorage: 'The server is full: free some space',
};

const OTHER_REGION = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'Redirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);

/** A place in a bucket cannot be used. Nothing was left there that is not whole. */
export class BucketUnusable extends StoreUnwritable {
  /** What those who wait for it are told: a place that refuses waits for a person. */
  readonly outage: OutageProblem;

  constructor(place: string, trouble: BucketTrouble) {
    const { code, message, asked } = trouble;
    const said = [...(asked === undefined ? [] : [asked]), words(code, message)].join(': ');
    // Looks like a system call's error, so that the receiver blames neither the body nor the link.
    const cause = Object.assign(new Error(message), { code, syscall: 's3' });
    super(place, cause, `${place} cannot be used (${said}). ${adviceFor(trouble)}, then run the same command again.`);
    this.name = 'BucketUnusable';
    this.outage = this.isAway
      ? { problem: said }
      : { problem: `${place} refuses (${said}). ${adviceFor(trouble)}.`, needsPerson: true };
  }
}

function words(code: string, message: string): string {
  return code === 'AWAY' || message.startsWith(code) ? message : `${code}: ${message}`;
}

function adviceFor({ code, region }: BucketTrouble): string {
  return OTHER_REGION.has(code)
    ? `The bucket is in another region, or on another server: set AWS_REGION${region === undefined ? ' to its region' : `=${region}`}, or AWS_ENDPOINT_URL_S3`
    : (ADVICE[code] ?? 'Check the S3 server');
}
