package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;

/** A command that asks a running Ebb one thing, and shows the answer as text or as it is. */
abstract class AnswerCommand<T> extends ServerCommand {

  /** Calls the server. */
  abstract Answer<T> ask(AdminClient client);

  /** The answer for a terminal. */
  abstract List<String> lines(T answer);

  @Override
  public final Integer call() {
    try (AdminClient client = open()) {
      Answer<T> answer = ask(client);
      if (wantsJson()) {
        print(answer.text());
      } else {
        print(lines(answer.document()));
      }
    }
    return 0;
  }
}
