// Calls a server with the openai package, and prints one line for each call.
const OpenAI = require('openai');

const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'none', maxRetries: 0 });
const messages = [{ role: 'user', content: 'the weather in rome' }];
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const request = { model: 'tiny', messages, seed: 1 };

async function main() {
  console.log('model', (await client.models.retrieve('tiny')).id);

  const chat = await client.chat.completions.create({ ...request, max_tokens: 8 });
  console.log('chat', JSON.stringify(chat.choices[0].message.content));

  const stream = await client.chat.completions.create({ ...request, max_tokens: 8, stream: true });
  let text = '';
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? '';
  }
  console.log('stream', JSON.stringify(text));

  const json = await client.chat.completions.create({
    ...request,
    response_format: { type: 'json_object' },
  });
  console.log('json', typeof JSON.parse(json.choices[0].message.content));

  const schema = await client.chat.completions.parse({
    ...request,
    response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: parameters } },
  });
  console.log('schema', Object.keys(JSON.parse(schema.choices[0].message.content)).join());

  const tools = await client.chat.completions.create({
    ...request,
    tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
    tool_choice: 'required',
  });
  const call = tools.choices[0].message.tool_calls[0];
  console.log('tools', call.function.name, typeof JSON.parse(call.function.arguments).city);

  const runner = client.chat.completions.stream({
    ...request,
    tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
    tool_choice: 'required',
  });
  const final = await runner.finalChatCompletion();
  console.log('streamed tools', final.choices[0].message.tool_calls[0].function.name);

  try {
    await client.chat.completions.create({ ...request, model: 'big' });
  } catch (error) {
    console.log('error', error.status, error.code);
  }
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
