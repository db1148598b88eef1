// Variables by which the environment decides what code runs.

import { SPLIT, UNKNOWN } from "../pattern.ts";
import { refuse } from "../verdict.ts";

const REFUSED =
  /^(?:LD_.*|DYLD_.*|BASH_ENV|ENV|IFS|PROMPT_COMMAND|PS0|PS4|SHELLOPTS|BASHOPTS|BASH_FUNC.*|HOME|SHELL|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|LUA_INIT|PHPRC|PHP_INI_SCAN_DIR|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|LESSOPEN|LESSCLOSE|SSH_ASKPASS|SUDO_ASKPASS|GIT_.*|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|NODE_OPTIONS|npm_config_(?:script_shell|shell|registry|prefix|userconfig|globalconfig|node_gyp|git|editor|viewer|pager)|RUSTC_WRAPPER|MAKEFLAGS|PATH|POLICYCAGE_.*|COMSPEC|GCONV_PATH|TAR_OPTIONS|RSYNC_RSH|TERMINFO|HISTFILE|BASH_XTRACEFD)$/i;

const PAGERS = /^(?:cat|less|more|true|:|)$/;

/** Values of those variables that run nothing else. */
function isHarmlessValue(name: string, value: string): boolean {
  switch (name.toUpperCase()) {
    case "PATH":
      return isExtendedPath(value);
    case "NODE_OPTIONS":
      return value
        .split(/\s+/)
        .every((flag) =>
          /^(?:--max-old-space-size=\d+|--no-warnings|--no-deprecation|--enable-source-maps|--trace-warnings|--unhandled-rejections=\w+|--openssl-legacy-provider|--experimental-[\w-]*(?:types|modules|sqlite)|--test|--max-http-header-size=\d+|)$/.test(
            flag,
          ),
        );
    case "EDITOR":
    case "VISUAL":
    case "GIT_EDITOR":
    case "GIT_SEQUENCE_EDITOR":
      return /^(?:true|:|cat|vim?|nvim|nano|emacs|code)?$/.test(value);
    case "PAGER":
    case "MANPAGER":
    case "GIT_PAGER":
      return PAGERS.test(value);
    case "GIT_AUTHOR_NAME":
    case "GIT_AUTHOR_EMAIL":
    case "GIT_AUTHOR_DATE":
    case "GIT_COMMITTER_NAME":
    case "GIT_COMMITTER_EMAIL":
    case "GIT_COMMITTER_DATE":
    case "GIT_TERMINAL_PROMPT":
    case "GIT_TRACE":
    case "GIT_MERGE_AUTOEDIT":
    case "GIT_LFS_SKIP_SMUDGE":
      return /^[\w .:@+-]*$/.test(value);
    default:
      return false;
  }
}

/** The path to programs, with folders of programs before or after it. */
function isExtendedPath(value: string): boolean {
  const folders = value.split(":");

  return (
    folders.some((folder) => folder === UNKNOWN || folder === "$PATH") &&
    folders.every(
      (folder) => folder === UNKNOWN || (/bin\/?$/.test(folder) && !/^(?:\/tmp|\/var\/tmp|\/dev|\.\.)/.test(folder)),
    )
  );
}

/** @throws Refused where a variable of this name and value decides what code runs */
export function requireHarmlessAssignment(name: string, value: string): void {
  // What the shell would split elsewhere it does not split here.
  const whole = value.replaceAll(SPLIT, UNKNOWN);
  if (REFUSED.test(name) && !isHarmlessValue(name, whole)) refuse("ENVIRONMENT_PROTECTED", `It sets ${name}.`);
}
