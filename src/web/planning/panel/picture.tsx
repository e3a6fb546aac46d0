/** An image of the service, loaded when it comes near the visible part of the page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../state/opened-page.ts';

/** Shows an image, or nothing if there is none. The image is decoration: the text beside it has the same content. */
export function Picture({
  session,
  kind,
  reference,
  otherwise = '',
}: {
  session: Session;
  kind: 'preview' | 'resource';
  reference: string;
  otherwise?: string;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const [address, setAddress] = useState<string>();
  const { tokens } = session.state;
  useEffect(() => setAddress(undefined), [session, kind, reference]);
  useEffect(() => {
    if (reference === '') return;
    let isOver = false;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        const load = async () => {
          let found = await session.service.picture(kind, reference);
          if (otherwise !== '') found ??= await session.service.picture(kind, otherwise);
          if (!isOver) setAddress(found);
        };
        void load();
      },
      { rootMargin: '200px' },
    );
    observer.observe(place.current!);
    return () => {
      isOver = true;
      observer.disconnect();
    };
  }, [session, kind, reference, otherwise, tokens]);
  return (
    <span class="picture" ref={place}>
      {address !== undefined && <img src={address} alt="" decoding="async" />}
    </span>
  );
}
