package dev.ebb.host.resp;

import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Text;
import java.util.List;

/** AUTH, HELLO and QUIT, which a client may send before it has logged in. */
final class LoginCommands extends SessionCommands {

  private static final byte[] DEFAULT_USER = Text.bytes(UserConfig.DEFAULT);

  private final ServerCommands server;

  LoginCommands(Commands on) {
    super(on);
    server = on.server;
  }

  void quit() {
    replies.ok();
    session.leaving = true;
  }

  void auth(List<byte[]> words) throws CommandException {
    if (words.size() > 3) {
      throw CommandException.syntax();
    }
    if (words.size() == 2 && connections.users.hasOpenDefault()) {
      throw new CommandException(
          "ERR AUTH <password> called without any password configured for the default user. Are you"
              + " sure your configuration is correct?");
    }
    byte[] user = words.size() == 3 ? words.get(1) : DEFAULT_USER;
    login(user, words.getLast(), replies::ok);
  }

  private void login(byte[] name, byte[] password, Runnable then) {
    remote.await(
        connections.users.login(session.host(), name, password),
        login -> {
          if (login.refusal() != null) {
            throw new CommandException(login.refusal());
          }
          session.user = login.user();
          then.run();
        });
  }

  void hello(List<byte[]> words) throws CommandException {
    int protocol = session.protocol;
    if (words.size() > 1) {
      long asked =
          Text.integer(words.get(1), "ERR Protocol version is not an integer or out of range");
      if (asked != 2 && asked != 3) {
        throw new CommandException("NOPROTO unsupported protocol version");
      }
      protocol = (int) asked;
    }
    String name = session.name;
    int credentials = 0;
    for (int i = 2; i < words.size(); i++) {
      String option = Text.upper(words.get(i));
      if (option.equals("AUTH") && i + 2 < words.size()) {
        credentials = i + 1;
        i += 2;
      } else if (option.equals("SETNAME") && i + 1 < words.size()) {
        name = ServerCommands.checkedName(words.get(++i));
      } else {
        throw new CommandException(
            "ERR Syntax error in HELLO option '" + Text.shown(words.get(i)) + "'");
      }
    }
    if (credentials > 0) {
      int chosen = protocol;
      String given = name;
      login(words.get(credentials), words.get(credentials + 1), () -> greet(chosen, given));
    } else if (session.user == null) {
      throw new CommandException(
          "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
              + " <proto> AUTH <user> <pass> option can be used to authenticate the client and"
              + " select the RESP protocol version at the same time");
    } else {
      greet(protocol, name);
    }
  }

  private void greet(int protocol, String name) {
    session.name = name;
    session.protocol = protocol;
    server.greet();
  }
}
