package dev.ebb.server.completion;

import dev.ebb.host.openai.CompletionAnswer;
import dev.ebb.host.openai.CompletionAnswer.Choice;
import dev.ebb.host.openai.CompletionAnswer.Delta;
import dev.ebb.host.openai.CompletionAnswer.PromptTokens;
import dev.ebb.host.openai.CompletionAnswer.Usage;
import dev.ebb.host.openai.CompletionRequest.Call;
import dev.ebb.host.openai.CompletionRequest.Message;
import dev.ebb.host.openai.OpenAiJson;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Writes the answers of a request in the format of the OpenAI API.
 *
 * @param created the time in seconds since 1970
 */
record CompletionDocuments(String id, long created, String model, boolean chat) {

  /** Returns the whole answers. */
  String whole(Answers answers) {
    return document("", answers.all().stream().map(this::choice).toList(), usage(answers));
  }

  private Choice choice(Answer answer) {
    return new Choice(
        answer.index,
        logprobs(0, answer.logprobs),
        answer.finish(),
        chat ? message(answer) : null,
        null,
        chat ? null : answer.text(),
        answer.ended == null ? null : answer.ended.tokenIds());
  }

  private static Message message(Answer answer) {
    List<Call> calls = calls(answer, false);
    String text = answer.text();
    return new Message(
        "assistant",
        calls.isEmpty() || !text.isEmpty() ? JsonNodeFactory.instance.stringNode(text) : null,
        calls.isEmpty() ? null : calls);
  }

  private static List<Call> calls(Answer answer, boolean numbered) {
    return IntStream.range(0, answer.calls().size())
        .mapToObj(
            i -> new Call(answer.callId(i), "function", answer.calls().get(i), numbered ? i : null))
        .toList();
  }

  /** Returns the first chunk of each answer in a stream: a chat's says who speaks. */
  List<String> first(Answers answers) {
    return chat
        ? answers.all().stream()
            .map(answer -> chunk(answer, Delta.of("assistant", ""), "", null))
            .toList()
        : List.of();
  }

  /** Returns a chunk with text. */
  String chunk(Answers.Part part) {
    return chunk(
        part.answer(),
        logprobs(part.offset(), part.logprobs()),
        Delta.of(null, part.text()),
        part.text(),
        null);
  }

  /** Returns a chunk with the calls of functions. */
  String callsChunk(Answer answer) {
    return chunk(answer, new Delta(null, null, null, null, calls(answer, true)), "", null);
  }

  /** Returns the last chunk of an answer. */
  String last(Answer answer) {
    return chunk(answer, Delta.of(null, null), "", answer.finish());
  }

  private String chunk(Answer answer, Delta delta, String text, @Nullable String finish) {
    return chunk(answer, null, delta, text, finish);
  }

  private String chunk(
      Answer answer, @Nullable Object logprobs, Delta delta, String text, @Nullable String finish) {
    Choice choice =
        new Choice(
            answer.index, logprobs, finish, null, chat ? delta : null, chat ? null : text, null);
    return document(".chunk", List.of(choice), null);
  }

  /** Returns the chunk with the usage, which has no choices. */
  String usageChunk(Answers answers) {
    return document(".chunk", List.of(), usage(answers));
  }

  private String document(String part, List<Choice> choices, @Nullable Usage usage) {
    String object = chat ? "chat.completion" + part : "text_completion";
    return OpenAiJson.text(
        new CompletionAnswer(id, object, created, model, choices, usage, null, null));
  }

  private @Nullable Object logprobs(int offset, List<TokenLogprobs> tokens) {
    if (tokens.isEmpty()) {
      return null;
    }
    return chat ? TokenLogprobs.chat(tokens) : TokenLogprobs.text(offset, tokens);
  }

  private static Usage usage(Answers answers) {
    long prompt = answers.promptTokens();
    long completion = answers.completionTokens();
    return new Usage(
        prompt, completion, prompt + completion, new PromptTokens((long) answers.cachedTokens()));
  }
}
