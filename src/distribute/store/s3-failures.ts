/** Failures of S3: whether they are temporary, and a sentence for the operator. */
import type { ErrorCode } from '../../support/errors.ts';
import { childText, readXml } from './s3-xml.ts';

/** An attempt that failed. */
export interface S3Failure {
  /** Whether to repeat the request; `if accepted`: only if the store has accepted such a request before. */
  mayPass: boolean | 'if accepted';
  /** @defaultValue `STORE_UNREACHABLE` */
  code?: ErrorCode;
  /** The end of the sentence. */
  says: string;
  /** An action that fits better than the action of the code. */
  help?: string;
  /** Whether the failure is about the bucket and not the object: a 404 is that of the bucket. */
  isOfBucket?: boolean;
  cause?: unknown;
}

interface FailedAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array;
}

/** Facts about a failure, from the answer of S3 and from this machine. */
interface Facts {
  /** The region of the bucket, if S3 names it. */
  region: string | undefined;
  /** By how much the clock of this machine is ahead; undefined if the answer contains no time. */
  aheadMs: number | undefined;
}

const KEYS_HELP =
  'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, which belong together';
const REGION_HELP = 'set AWS_REGION to the region of the bucket, and check AWS_ENDPOINT_URL_S3';
const RIGHTS_HELP =
  'give the account the rights s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucket: without the last one S3 also refuses to say that an object is missing';

const wrongRegion = ({ region }: Facts): S3Failure => ({
  mayPass: false,
  says: `expected the region of the bucket${region === undefined ? '' : `, which is ${region}`}; received another one`,
  help: REGION_HELP,
});
const wrongKeys = (): S3Failure => ({
  mayPass: 'if accepted',
  says: 'the store refuses the credentials',
  help: KEYS_HELP,
});
const endedToken = (): S3Failure => ({
  mayPass: false,
  says: 'the session token has ended',
  help: 'get new credentials, and set all three variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN',
});

/** Failures by the code of S3; a failure without a row is judged by its status. */
const BY_CODE: Readonly<Record<string, (facts: Facts) => S3Failure>> = {
  AccessDenied: () => ({
    mayPass: 'if accepted',
    says: 'the store denies access',
    help: RIGHTS_HELP,
  }),
  InvalidAccessKeyId: wrongKeys,
  SignatureDoesNotMatch: wrongKeys,
  InvalidToken: wrongKeys,
  ExpiredToken: endedToken,
  RequestTimeTooSkewed: ({ aheadMs }) => ({
    mayPass: false,
    says: `expected clocks that differ by less than 15 minutes; the clock of this machine is ${skewText(aheadMs)} that of the store`,
    help: 'set the clock of this machine, best by NTP',
  }),
  NoSuchBucket: () => ({
    mayPass: false,
    isOfBucket: true,
    says: 'the bucket does not exist',
    help: 'create the bucket, or correct its name in the address of the store',
  }),
  PermanentRedirect: wrongRegion,
  TemporaryRedirect: wrongRegion,
  AuthorizationHeaderMalformed: wrongRegion,
  IllegalLocationConstraintException: wrongRegion,
  // The store has received something else than was sent.
  RequestTimeout: () => ({ mayPass: true, says: 'received RequestTimeout' }),
  IncompleteBody: () => ({ mayPass: true, says: 'received IncompleteBody' }),
  BadDigest: () => ({ mayPass: true, says: 'received BadDigest' }),
  XAmzContentSHA256Mismatch: () => ({
    mayPass: true,
    says: 'the content has changed on the way, or while it was read',
  }),
};

/** Statuses below 500 that may be temporary: 409 is a conflict with a write at the same time. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);
const NOT_IMPLEMENTED = 501;

/** Judges a failed answer. @param nowMs - Time of this machine, milliseconds since 1970. */
export function failureOf({ status, headers, body }: FailedAnswer, nowMs: number): S3Failure {
  const error = readXml(new TextDecoder().decode(body.subarray(0, 65_536)));
  const s3Code = childText(error, 'Code') ?? '';
  const servedAt = Date.parse(childText(error, 'ServerTime') ?? headers.date ?? '');
  const known = Object.hasOwn(BY_CODE, s3Code) ? BY_CODE[s3Code] : undefined;
  const failure = known?.({
    region: headers['x-amz-bucket-region'] ?? childText(error, 'Region'),
    aheadMs: Number.isNaN(servedAt) ? undefined : nowMs - servedAt,
  });
  const received = `${status}${s3Code && ` ${s3Code}`}`;
  if (failure !== undefined) {
    const code = failure.mayPass === true ? 'STORE_UNREACHABLE' : 'STORE_REFUSED';
    return { code, ...failure, says: `${failure.says} (${received})` };
  }
  if (status === NOT_IMPLEMENTED) {
    const says = `expected conditional writes, received ${received}`;
    return { mayPass: false, code: 'STORE_UNSUPPORTED', says };
  }
  const says = `expected an answer of S3, received ${received}`;
  if (status >= 500 || PASSING.has(status)) return { mayPass: true, says };
  // The answer to a HEAD has no code.
  const isDenied = status === 401 || status === 403;
  if (isDenied) return { mayPass: 'if accepted', code: 'STORE_REFUSED', says, help: RIGHTS_HELP };
  return { mayPass: false, code: 'STORE_REFUSED', says };
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** @example `2 h 5 min ahead of` */
function skewText(aheadMs: number | undefined): string {
  if (aheadMs === undefined) return 'far from';
  let seconds = Math.round(Math.abs(aheadMs) / 1000);
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(seconds / length);
    seconds -= count * length;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
  return `${parts.slice(0, 2).join(' ')} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
