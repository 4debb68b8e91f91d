// Small building blocks for the page: elements from values, and lists that keep their elements while they change.

/** Make an element; `properties` may hold `class`, `data`, `on` and any attribute, children are nodes or strings. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") made.className = value;
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name in made && typeof value !== "string") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/**
 * Show `items` as children of `container`, one element for each key. An element whose item did not change is left
 * alone, and one whose item did is refilled and stays the same element, so that focus and scrolling survive updates.
 */
export function showList(container, items, { key, tag, fill }) {
  const known = new Map([...container.children].map((child) => [child.dataset.key, child]));
  const shown = new Set();
  let place = container.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = known.get(name);
    known.delete(name);
    if (!child) {
      child = document.createElement(tag);
      child.dataset.key = name;
    }
    if (child === place) place = place.nextElementSibling;
    else container.insertBefore(child, place);
    shown.add(child);
    const content = JSON.stringify(item);
    if (child.shownContent !== content) {
      child.shownContent = content;
      fill(child, item);
    }
  }
  for (const child of [...container.children]) if (!shown.has(child)) child.remove();
}

/** Set an element's text only when it differs, so that screen readers are told of real changes alone. */
export function setText(target, value) {
  if (target.textContent !== value) target.textContent = value;
}

/** Run `draw(value)` only when the value differs from the last one drawn. */
export function whenChanged(draw) {
  let last;
  return (value) => {
    const content = JSON.stringify(value);
    if (content === last) return;
    last = content;
    draw(value);
  };
}
