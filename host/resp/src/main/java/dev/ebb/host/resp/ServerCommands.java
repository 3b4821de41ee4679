package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.store.key.Glob;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/** Commands about the server and its clients. */
final class ServerCommands {

  static final String REDIS_VERSION = "7.0.15";

  /** The server keeps a name as long as its connection. */
  private static final int MAX_NAME = 256;

  /** The types of clients that Redis knows; all clients here are of the first. */
  private static final List<String> CLIENT_TYPES =
      List.of("normal", "master", "replica", "slave", "pubsub");

  private final Connections connections;
  private final Session session;
  private final Replies replies;
  private final RemoteAccess remote;
  private final CommandTable table;

  ServerCommands(Connections connections, Session session, Replies replies, RemoteAccess remote) {
    this.remote = remote;
    this.connections = connections;
    this.session = session;
    this.replies = replies;
    table = new CommandTable(replies);
  }

  void run(Command command, List<byte[]> arguments) throws CommandException {
    switch (command) {
      case ACL -> acl(arguments);
      case CLIENT -> client(arguments);
      case COMMAND -> table.run(arguments);
      case CONFIG -> config(arguments);
      case DBSIZE -> replies.integer(connections.store.stats().keys());
      case FLUSHALL, FLUSHDB -> flush(arguments);
      case MODULE -> module(arguments);
      case INFO -> replies.text(InfoText.of(connections, arguments.subList(1, arguments.size())));
      default -> throw new IllegalArgumentException(command.lower);
    }
  }

  void greet() {
    replies.map(7);
    pair("server", "redis");
    pair("version", REDIS_VERSION);
    replies.bulk("proto");
    replies.integer(session.protocol);
    replies.bulk("id");
    replies.integer(session.id);
    pair("mode", "standalone");
    pair("role", "master");
    replies.bulk("modules");
    modules();
  }

  private void module(List<byte[]> arguments) throws CommandException {
    if (!Text.upper(arguments.get(1)).equals("LIST")) {
      SubcommandHelp.MODULE.answer(arguments, replies);
      return;
    }
    need(arguments, 2, "module|list");
    modules();
  }

  private void modules() {
    replies.array(1);
    replies.map(4);
    pair("name", EbbCommands.MODULE);
    replies.bulk("ver");
    replies.integer(EbbCommands.VERSION);
    pair("path", "");
    replies.bulk("args");
    replies.array(0);
  }

  static String checkedName(byte[] name) throws CommandException {
    return checked(name, "Client names");
  }

  private static String checked(byte[] text, String what) throws CommandException {
    if (text.length > MAX_NAME) {
      throw new CommandException("ERR " + what + " cannot be longer than " + MAX_NAME + " bytes.");
    }
    for (byte c : text) {
      if (c < '!' || c > '~') {
        throw new CommandException(
            "ERR " + what + " cannot contain spaces, newlines or special characters.");
      }
    }
    return Text.of(text);
  }

  private void acl(List<byte[]> arguments) throws CommandException {
    switch (Text.upper(arguments.get(1))) {
      case "LIST" -> {
        need(arguments, 2, "acl|list");
        lines(connections.users.lines());
      }
      case "USERS" -> {
        need(arguments, 2, "acl|users");
        lines(connections.users.names());
      }
      case "WHOAMI" -> {
        need(arguments, 2, "acl|whoami");
        replies.bulk(requireNonNull(session.user).name);
      }
      default -> SubcommandHelp.ACL.answer(arguments, replies);
    }
  }

  private void lines(List<String> lines) {
    replies.array(lines.size());
    lines.forEach(replies::bulk);
  }

  private void client(List<byte[]> arguments) throws CommandException {
    String sub = Text.upper(arguments.get(1));
    switch (sub) {
      case "SETINFO" -> {
        need(arguments, 4, "client|setinfo");
        setInfo(arguments.get(2), arguments.get(3));
      }
      case "SETNAME" -> {
        need(arguments, 3, "client|setname");
        session.name = checkedName(arguments.get(2));
        replies.ok();
      }
      case "GETNAME" -> {
        need(arguments, 2, "client|getname");
        if (session.name.isEmpty()) {
          replies.nil();
        } else {
          replies.bulk(session.name);
        }
      }
      case "ID" -> {
        need(arguments, 2, "client|id");
        replies.integer(session.id);
      }
      case "LIST" -> {
        Predicate<Session> wanted = listed(arguments);
        StringBuilder lines = new StringBuilder();
        connections.sessions().stream()
            .filter(wanted)
            .forEach(each -> lines.append(each.line()).append('\n'));
        replies.text(lines.toString());
      }
      // There is never any maintenance to report.
      case "MAINT_NOTIFICATIONS" -> replies.ok();
      default -> SubcommandHelp.CLIENT.answer(arguments, replies);
    }
  }

  /** Returns the clients that TYPE or ID of CLIENT LIST selects; all are of one type. */
  private static Predicate<Session> listed(List<byte[]> arguments) throws CommandException {
    String filter = arguments.size() < 4 ? "" : Text.upper(arguments.get(2));
    if (filter.equals("TYPE") && arguments.size() == 4) {
      String type = Text.shown(arguments.get(3));
      if (!CLIENT_TYPES.contains(type.toLowerCase(Locale.ROOT))) {
        throw new CommandException("ERR Unknown client type '" + type + "'");
      }
      return each -> type.equalsIgnoreCase(CLIENT_TYPES.getFirst());
    }
    if (filter.equals("ID")) {
      Set<Long> ids = new HashSet<>();
      for (byte[] id : arguments.subList(3, arguments.size())) {
        ids.add(Text.integer(id, "ERR Invalid client ID"));
      }
      return each -> ids.contains(each.id);
    }
    if (arguments.size() > 2) {
      throw CommandException.syntax();
    }
    return each -> true;
  }

  private void setInfo(byte[] attribute, byte[] value) throws CommandException {
    switch (Text.of(attribute).toLowerCase(Locale.ROOT)) {
      case "lib-name" -> session.library = checked(value, "lib-name");
      case "lib-ver" -> session.libraryVersion = checked(value, "lib-ver");
      default ->
          throw new CommandException("ERR Unrecognized option '" + Text.shown(attribute) + "'");
    }
    replies.ok();
  }

  private void config(List<byte[]> arguments) throws CommandException {
    if (Text.upper(arguments.get(1)).equals("SET")) {
      throw notSettable(arguments);
    }
    if (!Text.upper(arguments.get(1)).equals("GET")) {
      SubcommandHelp.CONFIG.answer(arguments, replies);
      return;
    }
    if (arguments.size() < 3) {
      throw CommandException.arity("config|get");
    }
    String[][] parameters = parameters();
    BitSet wanted = new BitSet();
    for (byte[] each : arguments.subList(2, arguments.size())) {
      Glob pattern = Text.pattern(each, true);
      for (int i = 0; i < parameters.length; i++) {
        wanted.set(i, wanted.get(i) || pattern.matches(Text.bytes(parameters[i][0])));
      }
    }
    List<String> found = new ArrayList<>();
    wanted.stream().forEach(i -> found.addAll(List.of(parameters[i])));
    replies.map(found.size() / 2);
    found.forEach(replies::bulk);
  }

  private static CommandException notSettable(List<byte[]> arguments) {
    String parameter =
        arguments.size() < 3 ? "" : Text.shown(arguments.get(2), SubcommandHelp.SHOWN);
    return new CommandException(
        "ERR CONFIG SET '%s' is not supported%s; 'ebb config set KEY=VALUE' changes the configuration"
            .formatted(parameter, ForeignNames.KEY.hint(parameter)));
  }

  private String[][] parameters() {
    return new String[][] {
      {"appendonly", "no"},
      {"databases", "1"},
      {"maxmemory", Long.toString(connections.store.stats().capacityBytes())},
      {"maxclients", Integer.toString(connections.options.clients().connections())},
      {"maxmemory-policy", connections.store.site().policy()},
      {"maxmemory-clients", Long.toString(connections.options.clients().memoryBytes())},
      {"port", Integer.toString(connections.options.address().getPort())},
      {"proto-max-bulk-len", Long.toString(connections.options.maxValueBytes())},
      {"save", ""},
      {"timeout", Long.toString(connections.options.clients().idleTimeout().toSeconds())},
    };
  }

  private void flush(List<byte[]> arguments) throws CommandException {
    boolean known =
        arguments.size() == 1
            || (arguments.size() == 2
                && List.of("ASYNC", "SYNC").contains(Text.upper(arguments.get(1))));
    if (!known) {
      throw CommandException.syntax();
    }
    connections.store.clear();
    if (remote.on()) {
      remote.clear(replies::ok);
    } else {
      replies.ok();
    }
  }

  private void pair(String key, String value) {
    replies.bulk(key);
    replies.bulk(value);
  }

  static void need(List<byte[]> arguments, int count, String command) throws CommandException {
    if (arguments.size() != count) {
      throw CommandException.arity(command);
    }
  }
}
