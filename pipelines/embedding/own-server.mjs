/** A server of your own that makes any finish of your articles: node pipelines/embedding/own-server.mjs first.yaml */
import { isConverterError, openAssets } from 'btg2gltf';
import { fastify } from 'fastify';

const assets = await openAssets({ pipeline: process.argv[2] });
const app = fastify();
app.get('/models/:manufacturer/:program/:basearticlenumber', async ({ params, query }, reply) => {
  try {
    const wanted = { ...params, values: query };
    const { bytes, mimeType, sha256 } = await assets.asset(wanted, { form: 'glb' });
    return reply.type(mimeType).header('etag', `"${sha256}"`).send(Buffer.from(bytes));
  } catch (error) {
    return reply.code(isConverterError(error) ? 422 : 500).send({ error: error.message });
  }
});
console.log(await app.listen({ port: Number(process.env.PORT ?? 3000) }));
