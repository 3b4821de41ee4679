package dev.ebb.host.enginebench;

import dev.ebb.host.openai.CompletionRequest.Message;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of conversations. A turn that continues the turn before it has all messages of that
 * turn, the real answer to it, and its own new text. Any other prompt is one message.
 */
final class ChatHistory {

  private final PromptText texts;
  private final Long2ObjectOpenHashMap<Turn> turns = new Long2ObjectOpenHashMap<>();

  private record Turn(EngineRequest request, List<Message> messages) {}

  ChatHistory(PromptText texts) {
    this.texts = texts;
  }

  /** Returns the messages to send. */
  synchronized List<Message> messages(EngineRequest request) {
    Turn before = request.isTurn() ? turns.get(request.sequence()) : null;
    if (before == null || !continues(before.request, request)) {
      return List.of(Message.of("user", texts.of(request)));
    }
    long added =
        request.inputTokens()
            - before.request.inputTokens()
            - Math.max(0, before.request.outputTokens());
    List<Message> messages = new ArrayList<>(before.messages);
    messages.add(Message.of("user", texts.lastOf(request, Math.max(1, added))));
    return messages;
  }

  private static boolean continues(EngineRequest before, EngineRequest now) {
    // The last block of a prompt may be unfinished, and is another one in the next prompt.
    int same = before.blocks().size() - 1;
    return now.inputTokens() > before.inputTokens()
        && now.blocks().size() > same
        && now.blocks().subList(0, same).equals(before.blocks().subList(0, same));
  }

  /** Adds the end of a turn. */
  synchronized void ended(EngineRequest request, List<Message> messages, @Nullable String answer) {
    if (!request.isTurn()) {
      return;
    }
    if (answer == null || answer.isBlank() || request.last()) {
      turns.remove(request.sequence());
      return;
    }
    List<Message> all = new ArrayList<>(messages);
    all.add(Message.of("assistant", answer));
    turns.put(request.sequence(), new Turn(request, all));
  }
}
