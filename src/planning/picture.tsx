/** An image of the service, loaded when it comes near the visible part of the page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from './session.ts';

/** Shows an image, and nothing where there is none. It is decoration: the text beside it says the same. */
export function Picture({
  session,
  kind,
  reference,
}: {
  session: Session;
  kind: 'preview' | 'resource';
  reference: string;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    setAddress(undefined);
    if (reference === '') return;
    let isOver = false;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        void session.service.picture(kind, reference).then((found) => {
          if (!isOver) setAddress(found);
        });
      },
      { rootMargin: '200px' },
    );
    observer.observe(place.current!);
    return () => {
      isOver = true;
      observer.disconnect();
    };
  }, [session, kind, reference]);
  return (
    <span class="picture" ref={place}>
      {address !== undefined && <img src={address} alt="" decoding="async" />}
    </span>
  );
}
