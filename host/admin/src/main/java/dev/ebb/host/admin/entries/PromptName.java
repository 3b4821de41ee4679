package dev.ebb.host.admin.entries;

import org.jspecify.annotations.Nullable;

/**
 * Names a prompt of which blocks are cached: by its text or by its tokens.
 *
 * @param text the prompt; null if there are tokens
 * @param system whether the text is the system message of a chat, and not a whole prompt
 * @param tokens the first tokens of the prompt; empty if there is a text
 * @param tenant the client whose prompts are meant; null for clients without a name
 * @param model the model, with LoRA adapter and salt; null for what the tenant's requests have
 */
@SuppressWarnings("ArrayRecordComponent")
record PromptName(
    @Nullable String text,
    boolean system,
    int[] tokens,
    @Nullable String tenant,
    @Nullable String model,
    @Nullable String lora,
    @Nullable String salt) {}
