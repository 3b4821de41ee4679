/**
 * The signals of a sequence for token policies: attention and keys, gathered while llama.cpp
 * computes. They are stored by KV cell, because cells never move.
 */
package dev.ebb.llama.signals;
