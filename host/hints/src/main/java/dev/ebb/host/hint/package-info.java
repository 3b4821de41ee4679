/**
 * KV hints: what orchestrators say about the use of a request's chunks, in the envelope of vLLM and
 * SGLang.
 */
package dev.ebb.host.hint;
