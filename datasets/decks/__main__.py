"""Write the decks again: `python -m datasets.decks`."""

from datasets.decks.generate import write_all

if __name__ == "__main__":
    print(f"{write_all()} drawings written")
