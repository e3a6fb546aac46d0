/** An image of the service, loaded when it comes near the visible part of the page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from './use-session.ts';

/** Shows an image, or nothing if there is none. The image is decoration: the text beside it has the same content. */
export function Picture({
  kind,
  reference,
  otherwise = '',
}: {
  kind: 'preview' | 'resource';
  reference: string;
  otherwise?: string;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const [address, setAddress] = useState<string>();
  const { service, state } = useSession();
  useEffect(() => setAddress(undefined), [service, kind, reference]);
  useEffect(() => {
    if (reference === '') return;
    let isOver = false;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        const load = async () => {
          let found = await service.picture(kind, reference);
          if (otherwise !== '') found ??= await service.picture(kind, otherwise);
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
  }, [service, kind, reference, otherwise, state.tokens]);
  return (
    <span class="picture" ref={place}>
      {address !== undefined && <img src={address} alt="" decoding="async" />}
    </span>
  );
}
