import { Button, Divider } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { PasskeyOptions } from '#contracts';
import { useEffect } from 'react';
import { Callout } from '../../components/notices.js';
import { failure } from '../../lib/http.js';
import { endOffer, offersPasskeys, passkeysSupported, signWithPasskey } from '../../components/passkeys/ceremony.js';
import { logInWithPasskey } from '../../lib/session.js';
import { send } from '../../lib/transport.js';
import { messages } from './messages.js';

/** A challenge ends after five minutes. */
const OFFER_MS = 4 * 60_000;

/** There is no session yet, so it does not use the client that adds tokens. */
const askFor = async (): Promise<PasskeyOptions> =>
  (await send<PasskeyOptions>({ method: 'POST', path: '/auth/passkeys/login/options' })).data;

/** Logs in with a passkey: by the button, or by choosing one in the list of the e-mail field. */
export function PasskeyLogin() {
  const login = useMutation({
    mutationFn: async (options: PasskeyOptions | null) =>
      logInWithPasskey(await signWithPasskey(options ?? (await askFor()))),
  });
  useOffer();
  if (!passkeysSupported()) return null;
  return (
    <>
      <Button size="md" fullWidth variant="default" loading={login.isPending} onClick={() => login.mutate(null)}>
        {messages.passkey}
      </Button>
      <div role="alert">{login.isError && <Callout tone="danger">{failure(login.error).message}</Callout>}</div>
      <Divider label={messages.or} />
    </>
  );
}

/** While the page is open, the e-mail field offers the passkeys of this site. */
function useOffer(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const offer = async (): Promise<void> => {
      if (!(await offersPasskeys())) return;
      const options = await askFor();
      if (left) return;
      timer = setTimeout(() => void offer().catch(() => {}), OFFER_MS);
      await logInWithPasskey(await signWithPasskey(options, true));
    };
    // If the offer fails, the button and the password still work.
    offer().catch(() => {});
    return () => {
      left = true;
      clearTimeout(timer);
      endOffer();
    };
  }, []);
}
