import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Request, Response } from 'express';
import type { DataSource } from 'typeorm';
import { hashOfSecret, randomText } from '../../crypto/shown-once.js';
import { errors } from '../../platform/errors.js';
import { findCookie } from '../refresh-cookie.js';

/** How long the person has to use the device. */
const MINUTES = 5;

const START = `
  INSERT INTO passkey_challenges (challenge_hash, cookie_hash, purpose, session_id, user_handle, expires_at)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(mins => ${MINUTES}))`;

/** Uses up a challenge: only one answer gets it. */
const SPEND = `
  DELETE FROM passkey_challenges
  WHERE challenge_hash = $1 AND cookie_hash = $2 AND purpose = $3 AND session_id IS NOT DISTINCT FROM $4
    AND expires_at > clock_timestamp()
  RETURNING user_handle AS "userHandle"`;

/** The purpose for which a device is asked to sign. */
export interface Intent {
  purpose: 'register' | 'sign_in' | 'confirm';
  /** null: somebody signs in. */
  sessionId: string | null;
}

export interface SpentChallenge {
  challenge: string;
  /** The user handle of the passkey that is being made. */
  userHandle: string | null;
}

/**
 * Challenges that wait for the answer of a device. Each works once, for its purpose and session, and in the browser
 * that asked for it: a cookie ties the answer to it.
 */
@Injectable()
export class PasskeyChallenges {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /** @param userHandle of the passkey that is being made */
  async start(
    { purpose, sessionId }: Intent,
    { request, response }: { request: Request; response: Response },
    userHandle: string | null = null,
  ): Promise<string> {
    const [challenge, secret] = [randomText(), randomText()];
    await this.source.query('DELETE FROM passkey_challenges WHERE expires_at <= clock_timestamp()');
    await this.source.query(START, [hashOfSecret(challenge), hashOfSecret(secret), purpose, sessionId, userHandle]);
    response.cookie(cookieName(challenge), secret, { ...attributes(request), maxAge: MINUTES * 60_000 });
    return challenge;
  }

  /**
   * @param clientDataJSON of the answer, which names the challenge
   * @throws ApiError 400 unless the answer is to a challenge of this browser that has not ended
   */
  async spend(
    { purpose, sessionId }: Intent,
    { request, response }: { request: Request; response: Response },
    clientDataJSON: string,
  ): Promise<SpentChallenge> {
    const challenge = challengeIn(clientDataJSON);
    const name = cookieName(challenge);
    const secret = findCookie(request, name) ?? '';
    const [rows]: [{ userHandle: string | null }[], number] = await this.source.query(SPEND, [
      hashOfSecret(challenge),
      hashOfSecret(secret),
      purpose,
      sessionId,
    ]);
    const spent = rows.at(0);
    if (spent === undefined) throw errors.passkeyExpired();
    response.clearCookie(name, attributes(request));
    return { challenge, userHandle: spent.userHandle };
  }
}

/** Nothing else in the answer is trusted before its signature is checked. */
function challengeIn(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown };
    if (typeof challenge === 'string') return challenge;
  } catch {
    // Handled below, like an answer without a challenge.
  }
  throw errors.invalid('passkey.response.clientDataJSON: must be JSON with a challenge');
}

const attributes = (request: Request) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/auth', secure: request.secure }) as const;
/** A person may have several tabs. */
const cookieName = (challenge: string): string => `agw_passkey_${hashOfSecret(challenge).slice(0, 16)}`;
