/**
 * Requests and answers of the OpenAI API, with the extensions of vLLM and llama.cpp. Servers,
 * clients and tests bind them with {@link dev.ebb.host.openai.OpenAiJson}.
 */
package dev.ebb.host.openai;
